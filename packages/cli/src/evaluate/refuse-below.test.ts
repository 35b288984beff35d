import { defined } from '@quartermaster/core/internal';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './evaluate-queries.ts';
import { confidenceAtLoss, refuseBelow } from './refuse-below.ts';

const outcome = (confidence: number | undefined, hit5: number): Outcome => ({
  kind: 'answerable',
  query: '',
  isRefused: false,
  isInvalid: false,
  milliseconds: 0,
  ...defined({ confidence }),
  score: { hit1: 0, hit3: 0, hit5, recall5: 0, ndcg10: 0, mrr: 0 },
  answerTokens: 0,
  overlap: 0,
  unknownRelevant: 0,
});

describe('confidenceAtLoss', () => {
  it('loses at most the given share of right answers', () => {
    const outcomes = Array.from({ length: 100 }, (_, at) => outcome(at / 100, 1));
    const least = confidenceAtLoss(outcomes, 0.01) ?? Number.NaN;
    expect(refuseBelow(outcomes, least).mean).toBe(0.01);
  });

  it('looks at right answers only', () => {
    expect(confidenceAtLoss([outcome(0.1, 0), outcome(0.5, 1)], 0)).toBe(0.5);
  });

  it('is undefined without confidences', () => {
    expect(confidenceAtLoss([outcome(undefined, 1)], 0.01)).toBeUndefined();
    expect(confidenceAtLoss([], 0.01)).toBeUndefined();
  });
});
