import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageEstimates, estimateMean, estimateShare, percentile } from './estimate.ts';

describe('estimateShare', () => {
  // The interval for 8 of 10 that textbooks give for Wilson's method.
  it.each([
    [8, 10, 0.8, 0.4902, 0.9433],
    [0, 10, 0, 0, 0.2775],
    [10, 10, 1, 0.7225, 1],
    [50, 100, 0.5, 0.4038, 0.5962],
  ])('%i of %i', (hits, tries, mean, low, high) => {
    const estimate = estimateShare(hits, tries);
    expect(estimate.mean).toBe(mean);
    expect(estimate.low).toBeCloseTo(low, 4);
    expect(estimate.high).toBeCloseTo(high, 4);
  });

  it('says nothing about nothing', () => {
    expect(estimateShare(0, 0).mean).toBeNaN();
    expect(estimateMean([]).mean).toBeNaN();
  });
});

describe('estimateMean', () => {
  it('gives the same interval every time, around the mean', () => {
    const values = Array.from({ length: 400 }, (_, index) => (index % 4) / 3);
    const estimate = estimateMean(values);
    expect(estimateMean(values)).toEqual(estimate);
    expect(estimate.mean).toBeCloseTo(0.5);
    // The standard error is 0.3727 / 20; the normal interval would be ± 0.0365.
    expect(estimate.mean - estimate.low).toBeCloseTo(0.0365, 2);
    expect(estimate.high - estimate.mean).toBeCloseTo(0.0365, 2);
  });

  it.each([
    [1, 1, 0.2065, 1],
    [0, 10, 0, 0.2775],
    [1, 10, 0.7225, 1],
    [0.5, 100, 0.4038, 0.5962],
  ])('values that are all %d, %i of them, have the interval of a share', (value, count, low, high) => {
    const estimate = estimateMean(Array.from({ length: count }, () => value));
    expect(estimate.mean).toBe(value);
    expect(estimate.low).toBeCloseTo(low, 4);
    expect(estimate.high).toBeCloseTo(high, 4);
  });

  it('every interval has a width', () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 50 }), (one, count) => {
        const { mean, low, high } = estimateMean(Array.from({ length: count }, () => one));
        expect(mean).toBe(one);
        expect(low).toBeLessThanOrEqual(mean + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
        expect(high - low).toBeGreaterThan(0.01);
        expect([low >= 0, high <= 1]).toEqual([true, true]);
      }),
      { numRuns: 50 },
    );
  });

  it('the interval contains the mean and stays within the values if they differ', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(values, (list) => {
        fc.pre(new Set(list).size > 1);
        const { mean, low, high } = estimateMean(list);
        expect(low).toBeLessThanOrEqual(mean + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
        expect(low).toBeGreaterThanOrEqual(Math.min(...list) - 1e-12);
        expect(high).toBeLessThanOrEqual(Math.max(...list) + 1e-12);
      }),
      { numRuns: 50 },
    );
  });
});

describe('averageEstimates', () => {
  it('weighs every set the same; the interval shrinks with their number', () => {
    const one = { mean: 0.4, low: 0.3, high: 0.5 };
    const other = { mean: 0.8, low: 0.7, high: 0.9 };
    const { mean, low, high } = averageEstimates([one, other]);
    expect(mean).toBeCloseTo(0.6);
    expect(high - mean).toBeCloseTo(0.1 / Math.SQRT2);
    expect(mean - low).toBeCloseTo(0.1 / Math.SQRT2);
  });
});

describe('percentile', () => {
  it.each([
    [0.5, 2],
    [0.99, 4],
    [0.25, 1],
    [0, 1],
    [1, 4],
  ])('%d of 1 to 4 is %i', (share, value) => {
    expect(percentile([4, 1, 3, 2], share)).toBe(value);
  });
});
