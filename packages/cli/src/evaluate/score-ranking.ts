import type { Tool } from '@quartermaster/core';

/** How good one answer is. All figures from 0 (bad) to 1. */
export interface Score {
  /** Whether a relevant tool is among the first 1, 3, 5. */
  readonly hit1: number;
  readonly hit3: number;
  readonly hit5: number;
  /** The share of relevant tools among the first 5. */
  readonly recall5: number;
  /** Discounted gain of the first 10 against that of the best order: gain 1 for a relevant tool, divided by log2(rank + 1). */
  readonly ndcg10: number;
  /** 1 / rank of the first relevant tool, 0 when the first 10 have none. */
  readonly mrr: number;
}

/** How many hits the figures look at. */
export const RANKING_DEPTH = 10;

/**
 * Scores a ranking, best first, against the relevant tools' names or ids. An entry counts once, at the first tool that matches
 * it: a bare name that two servers have is not found twice. `relevant` must not be empty.
 */
export function scoreRanking(ranking: readonly Tool[], relevant: readonly string[]): Score {
  const open = new Set(relevant);
  const size = open.size;
  const ranks: number[] = [];
  ranking.slice(0, RANKING_DEPTH).forEach((tool, index) => {
    const entry = open.has(tool.id) ? tool.id : tool.name;
    if (open.delete(entry)) ranks.push(index + 1);
  });
  const first = ranks[0] ?? Number.POSITIVE_INFINITY;
  const ideal = Array.from({ length: Math.min(size, RANKING_DEPTH) }, (_, index) => index + 1);
  return {
    hit1: first <= 1 ? 1 : 0,
    hit3: first <= 3 ? 1 : 0,
    hit5: first <= 5 ? 1 : 0,
    recall5: ranks.filter((rank) => rank <= 5).length / size,
    ndcg10: discountedGain(ranks) / discountedGain(ideal),
    mrr: 1 / first,
  };
}

function discountedGain(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}
