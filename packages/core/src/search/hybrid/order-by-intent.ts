import type { HybridFeatures } from './hybrid-options.ts';

/** A tool's place for one query, with what its score is made of. */
export interface HybridRanking {
  readonly tool: number;
  /** `bonus + base + intent`. */
  readonly score: number;
  /** More than anything else can add up to, for a tool that the query names; else 0. */
  readonly bonus: number;
  /** The weighted sum of the features. */
  readonly base: number;
  /** What it got for serving a clause that nothing above it serves as well. */
  readonly intent: number;
  readonly features: HybridFeatures;
}

/** A tool before it has its place. */
export interface Rated extends Omit<HybridRanking, 'score' | 'intent'> {
  /** How well it serves each clause of the request; all tools have as many. Empty for a request of one clause. */
  readonly clauses: readonly number[];
}

/**
 * By score; for a request of several clauses place by place, each time with the tool that adds most. What serving a
 * clause adds only shrinks as the list grows, so the scores still fall from place to place.
 */
export function orderByIntent(rated: readonly Rated[], intentWeight: number): HybridRanking[] {
  const byScore = [...rated].sort((left, right) => firstScore(right) - firstScore(left) || left.tool - right.tool);
  const clauseCount = rated[0]?.clauses.length ?? 0;
  if (clauseCount === 0 || intentWeight === 0) return byScore.map((tool) => place(tool, 0));
  const shares = sharesOf(byScore, clauseCount);
  const served = new Float64Array(clauseCount);
  const isPlaced = new Uint8Array(byScore.length);
  const ordered: HybridRanking[] = [];
  while (ordered.length < ORDERED_BY_INTENT && ordered.length < byScore.length) {
    const { at, intent } = bestNext({ byScore, isPlaced, shares, served, intentWeight });
    isPlaced[at] = 1;
    for (let clause = 0; clause < clauseCount; clause += 1) {
      served[clause] = Math.max(served[clause] as number, shares[at * clauseCount + clause] as number);
    }
    ordered.push(place(byScore[at] as Rated, intent));
  }
  return [...ordered, ...byScore.filter((_, at) => isPlaced[at] === 0).map((tool) => place(tool, 0))];
}

interface Places {
  readonly byScore: readonly Rated[];
  readonly isPlaced: Uint8Array;
  readonly shares: Float64Array;
  readonly served: Float64Array;
  readonly intentWeight: number;
}

/** Of the tools that have no place yet, the one that adds most; the first of equals. */
function bestNext({ byScore, isPlaced, shares, served, intentWeight }: Places): { at: number; intent: number } {
  let best = { at: 0, intent: 0 };
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < byScore.length; at += 1) {
    const { bonus, base } = byScore[at] as Rated;
    // No clause adds more than 1, so that what stands behind this can't come first either.
    if (bonus + base + intentWeight * served.length < bestScore) break;
    if (isPlaced[at] === 1) continue;
    let gain = 0;
    for (let clause = 0; clause < served.length; clause += 1) {
      gain += Math.max(0, (shares[at * served.length + clause] as number) - (served[clause] as number));
    }
    const intent = intentWeight * gain;
    const score = bonus + base + intent;
    if (score > bestScore) {
      best = { at, intent };
      bestScore = score;
    }
  }
  return best;
}

/**
 * How well each tool serves each clause, as a share of the tool that serves it best. A clause that even the best hardly
 * serves is chatter, and claims a place only as far as it is served.
 */
function sharesOf(rated: readonly Rated[], clauseCount: number): Float64Array {
  const shares = new Float64Array(rated.length * clauseCount);
  for (let clause = 0; clause < clauseCount; clause += 1) {
    let best = Number.MIN_VALUE;
    for (const [at, { clauses }] of rated.entries()) {
      const fit = clauses[clause] as number;
      shares[at * clauseCount + clause] = fit;
      best = Math.max(best, fit);
    }
    const claim = Math.min(1, Math.max(0, (best - CHATTER_FIT) / (CLAIMING_FIT - CHATTER_FIT)));
    for (let at = clause; at < shares.length; at += clauseCount) shares[at] = ((shares[at] as number) * claim) / best;
  }
  return shares;
}

function place({ tool, bonus, base, features }: Rated, intent: number): HybridRanking {
  return { tool, score: bonus + base + intent, bonus, base, intent, features };
}

function firstScore({ bonus, base }: Rated): number {
  return bonus + base;
}

/** The best fit of a clause up to which it claims nothing, and from which on it claims a place in full. */
const [CHATTER_FIT, CLAIMING_FIT] = [3, 5.5];
/** As many as the longest answer; what comes after is in the order of the features alone. */
const ORDERED_BY_INTENT = 50;
