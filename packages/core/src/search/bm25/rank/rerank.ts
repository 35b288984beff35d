import type { RankedTools } from './best-tools.ts';
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
  /** In any order if there are no more than {@link POOL_SIZE}, else by their sums, greatest first. */
  readonly ranked: RankedTools;
  readonly wanted: number;
}): TermsRanking[] {
  const { reader, plan, ranked, wanted } = of;
  const { tools, sums } = ranked;
  const size = Math.min(ranked.size, POOL_SIZE);
  reader.readMany(plan, tools, size);
  reader.scoreMany(sums, size, scores);
  const best: TermsRanking[] = [];
  const count = orderPlaces(tools, size, Math.min(wanted, size));
  for (let at = 0; at < count; at += 1) {
    const place = order[at] ?? 0;
    const score = scores[place] ?? 0;
    best.push({ kind: 'terms', tool: tools[place] ?? 0, score, sum: sums[place] ?? 0, features: reader.at(place) });
  }
  for (let place = size; place < ranked.size && best.length < wanted; place += 1) {
    const sum = sums[place] ?? 0;
    best.push({ kind: 'terms', tool: tools[place] ?? 0, score: scaleSum(sum), sum });
  }
  return best;
}

/** Puts the places of the best of the first `size` tools into `order`, best first, ties in catalog order. Returns their number. */
function orderPlaces(tools: Uint32Array, size: number, wanted: number): number {
  let count = 0;
  for (let place = 0; place < size; place += 1) {
    if (count === wanted && !isBefore(tools, place, order[count - 1] ?? 0)) {
      continue;
    }
    count = Math.min(count + 1, wanted);
    let at = count - 1;
    for (; at > 0 && isBefore(tools, place, order[at - 1] ?? 0); at -= 1) {
      order[at] = order[at - 1] ?? 0;
    }
    order[at] = place;
  }
  return count;
}

function isBefore(tools: Uint32Array, left: number, right: number): boolean {
  const difference = (scores[left] ?? 0) - (scores[right] ?? 0);
  return difference > 0 || (difference === 0 && (tools[left] ?? 0) < (tools[right] ?? 0));
}

/** Of the tools that are weighed: their scores, and the places of the best. */
const scores = new Float64Array(POOL_SIZE);
const order = new Uint8Array(POOL_SIZE);
