import { describe, expect, it } from 'vitest';
import { findShortfalls, parseFloors } from './floors.ts';
import type { Summary } from './summarise-outcomes.ts';

function scores(mean: number): Pick<Summary, 'scores'> {
  const same = { mean, low: 0, high: 1 };
  return { scores: { hit1: same, hit3: same, hit5: same, recall5: same, ndcg10: same, mrr: same } };
}

describe('floors', () => {
  it('are named by the title of a figure, in upper or lower case', () => {
    expect(parseFloors('recall@5=80, NDCG@10=62.5')).toEqual([
      { metric: 'recall5', percent: 80 },
      { metric: 'ndcg10', percent: 62.5 },
    ]);
  });

  it.each(['recall@5', 'recall@7=80', 'recall@5=', 'recall@5=101', 'recall@5=-1', ''])('refuse %j', (text) => {
    expect(parseFloors(text)).toMatch(/^Allowed: hit@1, /);
  });

  it('are met at exactly the figure, and missed just below it', () => {
    const floors = [{ metric: 'recall5', percent: 80 } as const];
    expect(findShortfalls(scores(0.8), floors)).toEqual([]);
    expect(findShortfalls(scores(0.7999), floors)).toEqual(['recall@5 is 79.9, below 80']);
  });

  it('are missed if there is nothing to measure', () => {
    expect(findShortfalls(scores(Number.NaN), [{ metric: 'mrr', percent: 0 }])).toHaveLength(1);
  });
});
