import type { RankedTool } from './best-tools.ts';
import { type FeatureReader, type MatchFeatures, MOST_READ, scaleSum } from './match-features.ts';
import type { QueryPlan } from './plan-query.ts';

/** A tool ranked by its terms. */
export interface TermsRanking {
  readonly kind: 'terms';
  readonly tool: number;
  readonly score: number;
  /** What its terms add up to, in units of {@link scaleSum}. */
  readonly sum: number;
  /** Undefined below {@link POOL_SIZE}, where only the terms count. */
  readonly features?: MatchFeatures;
}

/** How many of the best by their terms are weighed by name coverage and bigrams too. More than any limit. */
export const POOL_SIZE: number = MOST_READ;

/** Weighs the best by their terms by name and bigrams, and gives the wanted ones, best first. */
export function rerank(of: {
  readonly reader: FeatureReader;
  readonly plan: QueryPlan;
  /** By their sums, greatest first. */
  readonly ranked: readonly RankedTool[];
  readonly wanted: number;
}): TermsRanking[] {
  const { reader, plan, ranked, wanted } = of;
  const size = Math.min(ranked.length, POOL_SIZE);
  for (let place = 0; place < size; place += 1) {
    tools[place] = ranked[place]?.tool ?? 0;
  }
  reader.open(plan);
  reader.readMany(tools, size);
  for (let place = 0; place < size; place += 1) {
    scores[place] = reader.scoreAt(place, ranked[place]?.sum ?? 0);
  }
  const best: TermsRanking[] = [];
  for (const place of orderPlaces(size, Math.min(wanted, size))) {
    const { tool, sum } = ranked[place] as RankedTool;
    best.push({ kind: 'terms', tool, score: scores[place] ?? 0, sum, features: reader.at(place) });
  }
  for (let place = size; place < ranked.length && best.length < wanted; place += 1) {
    const { tool, sum } = ranked[place] as RankedTool;
    best.push({ kind: 'terms', tool, score: scaleSum(sum), sum });
  }
  return best;
}

/** The places of the best of the first `size` tools, best first, ties in catalog order. */
function orderPlaces(size: number, wanted: number): Uint8Array {
  let count = 0;
  for (let place = 0; place < size; place += 1) {
    if (count === wanted && !isBefore(place, order[count - 1] ?? 0)) {
      continue;
    }
    count = Math.min(count + 1, wanted);
    let at = count - 1;
    for (; at > 0 && isBefore(place, order[at - 1] ?? 0); at -= 1) {
      order[at] = order[at - 1] ?? 0;
    }
    order[at] = place;
  }
  return order.subarray(0, count);
}

function isBefore(left: number, right: number): boolean {
  const difference = (scores[left] ?? 0) - (scores[right] ?? 0);
  return difference > 0 || (difference === 0 && (tools[left] ?? 0) < (tools[right] ?? 0));
}

/** Of the tools that are weighed: which they are, their scores, and the places of the best. */
const tools = new Uint32Array(POOL_SIZE);
const scores = new Float64Array(POOL_SIZE);
const order = new Uint8Array(POOL_SIZE);
