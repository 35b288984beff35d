import { describe, expect, it } from 'vitest';
import { comparableParts, largestGap, scoreParts, showScore, stepLabels, stepOf } from './score-parts.ts';

const leaf = (value: number, what: string) => ({ value, what, details: [] });

describe('the parts of a score', () => {
  it('are its features, largest first, each with its label, its product and what it means', () => {
    const features = {
      value: 8.5,
      what: 'features',
      details: [leaf(0.3, '1 × 0.300: keyword score'), leaf(8.2, '14.3 × 0.573: meaning: cosine of the two')],
    };
    expect(
      scoreParts({ value: 9.5, what: 'words and meaning', details: [features, leaf(1, 'bonus for a name')] }),
    ).toEqual([
      { label: 'Meaning', note: 'Cosine of the two', product: '14.3 × 0.573', value: 8.2 },
      { label: 'Bonus for a name', value: 1 },
      { label: 'Keyword score', product: '1 × 0.300', value: 0.3 },
    ]);
  });

  it('are the whole where they would not add up to it', () => {
    expect(scoreParts({ value: 6, what: 'terms × name', details: [leaf(3, 'terms'), leaf(2, 'name')] })).toEqual([
      { label: 'Terms × name', value: 6 },
    ]);
  });
});

describe('a tool that the query names', () => {
  const parts = [
    { label: 'Bonus for a name', value: 1_000_000 },
    { label: 'Meaning', value: 5 },
    { label: 'Shared words', value: 3 },
  ];

  it('is compared by its other parts', () => {
    const comparable = comparableParts(parts);
    expect(comparable).toEqual({ parts: parts.slice(1), isNamed: true, sum: 8 });
    expect(comparableParts(parts.slice(1))).toMatchObject({ isNamed: false, sum: 8 });
  });

  it.each([
    [1_000_008.9, 'named'],
    [8.918, '8.92'],
  ])('has no figure beside the others: %d is %j', (score, text) => {
    expect(showScore(score)).toBe(text);
  });
});

describe('the steps of the bars', () => {
  const part = (label: string, value: number) => ({ label, value });

  it('stand for the same part in all rows, the one that most of the scores come from first', () => {
    const labels = stepLabels([
      [part('Meaning', 3), part('Shared words', 2)],
      [part('Shared words', 4), part('Meaning', 1)],
    ]);
    expect(labels).toEqual(['Shared words', 'Meaning']);
    expect(labels.map((label) => stepOf(labels, { label }))).toEqual([1, 2]);
  });

  it('are four, and what is left shares the last', () => {
    const labels = stepLabels([['a', 'b', 'c', 'd', 'e'].map((label, index) => part(label, 5 - index))]);
    expect([...labels, 'unknown'].map((label) => stepOf(labels, { label }))).toEqual([1, 2, 3, 4, 4, 4]);
  });
});

describe('largestGap', () => {
  const whole = (meaning: number, words: number) => ({
    ...{ value: meaning + words, what: 'features' },
    details: [leaf(meaning, '1 × 1: meaning'), leaf(words, '1 × 1: shared words')],
  });

  it('is the part that the higher score has most of beside the lower', () => {
    expect(largestGap(whole(5, 1), whole(3, 0.5))).toEqual({ label: 'Meaning', other: 5, own: 3 });
    expect(largestGap(whole(3, 4), whole(3, 0))).toEqual({ label: 'Shared words', other: 4, own: 0 });
  });

  it('is none where no part is larger', () => {
    expect(largestGap(whole(3, 1), whole(3, 2))).toBeUndefined();
    expect(largestGap(undefined, whole(3, 2))).toBeUndefined();
  });
});
