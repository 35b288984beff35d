import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMultipleOf } from './check-number.ts';

describe('isMultipleOf', () => {
  it.each([
    [0.3, 0.1, true],
    [4.35, 0.01, true],
    [-1.1, 0.1, true],
    [1e21, 1e20, true],
    [1e-7, 1e-8, true],
    [5e-324, 5e-324, true],
    [1e308, 0.123456789, false],
    [0.35, 0.1, false],
    [7, 2.5, false],
    [0, 0.3, true],
  ])('%d by %d: %s', (value, divisor, expected) => {
    expect(isMultipleOf(value, divisor)).toBe(expected);
  });

  it('agrees with whole numbers of the last decimal place', () => {
    const cents = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(cents, fc.integer({ min: 1, max: 500 }), (value, divisor) => {
        expect(isMultipleOf(value / 100, divisor / 100)).toBe(value % divisor === 0);
      }),
    );
  });
});
