import type { Hit } from '@quartermaster/core/search';

/**
 * The tools of an answer as a plain list: each hit, then the near-duplicates that were folded into it, with its score. They take
 * up places like any other, so that a list of five never names more than five tools. An explanation is the hit's alone.
 */
export function foundTools(hits: readonly Hit[], limit: number): Omit<Hit, 'also'>[] {
  return hits
    .flatMap(({ also = [], ...hit }) => [hit, ...also.map((tool) => ({ tool, score: hit.score }))])
    .slice(0, limit);
}
