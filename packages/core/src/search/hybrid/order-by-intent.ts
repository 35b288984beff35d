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
  readonly clauses: readonly ClauseFit[];
}

export interface ClauseFit {
  readonly meaning: number;
  readonly terms: number;
}

/**
 * By score; for a request of several clauses place by place, each time with the tool that adds most. What serving a
 * clause adds only shrinks as the list grows, so the scores still fall from place to place.
 */
export function orderByIntent(rated: readonly Rated[], intentWeight: number): HybridRanking[] {
  const byScore = [...rated].sort(
    (left, right) => right.bonus + right.base - (left.bonus + left.base) || left.tool - right.tool,
  );
  const clauseCount = rated[0]?.clauses.length ?? 0;
  if (clauseCount === 0 || intentWeight === 0) return byScore.map((tool) => place(tool, 0));
  const served: number[] = new Array(clauseCount).fill(0);
  const shares = sharesOf(rated, clauseCount);
  const ordered: HybridRanking[] = [];
  while (ordered.length < ORDERED_BY_INTENT && byScore.length > 0) {
    let [bestAt, bestScore, bestIntent] = [0, Number.NEGATIVE_INFINITY, 0];
    for (const [at, candidate] of byScore.entries()) {
      const intent = intentWeight * gain(shares.get(candidate.tool) ?? [], served);
      const score = candidate.bonus + candidate.base + intent;
      if (score > bestScore) [bestAt, bestScore, bestIntent] = [at, score, intent];
    }
    const [chosen] = byScore.splice(bestAt, 1);
    if (chosen === undefined) break;
    (shares.get(chosen.tool) ?? []).forEach((share, clause) => {
      served[clause] = Math.max(served[clause] ?? 0, share);
    });
    ordered.push(place(chosen, bestIntent));
  }
  const lowest = ordered.at(-1)?.score ?? 0;
  // What is left can't stand above what was chosen before it.
  return [
    ...ordered,
    ...byScore.map((tool) => place(tool, 0)).map((last) => ({ ...last, score: Math.min(last.score, lowest) })),
  ];
}

/** How well each tool serves each clause, as a share of the tool that serves it best. */
function sharesOf(rated: readonly Rated[], clauseCount: number): Map<number, readonly number[]> {
  const best: number[] = new Array(clauseCount).fill(Number.MIN_VALUE);
  for (const { clauses } of rated) {
    clauses.forEach((clause, at) => {
      best[at] = Math.max(best[at] ?? 0, suit(clause));
    });
  }
  return new Map(
    rated.map(({ tool, clauses }) => [
      tool,
      clauses.map((clause, at) => suit(clause) / (best[at] ?? Number.MIN_VALUE)),
    ]),
  );
}

function suit({ meaning, terms }: ClauseFit): number {
  return CLAUSE_FIT.meaning * meaning + CLAUSE_FIT.terms * terms;
}

function gain(shares: readonly number[], served: readonly number[]): number {
  return shares.reduce((sum, share, clause) => sum + Math.max(0, share - (served[clause] ?? 0)), 0);
}

function place({ tool, bonus, base, features }: Rated, intent: number): HybridRanking {
  return { tool, score: bonus + base + intent, bonus, base, intent, features };
}

const CLAUSE_FIT = { meaning: 6, terms: 2 } as const;
/** As many as the longest answer; what comes after is in the order of the features alone. */
const ORDERED_BY_INTENT = 50;
