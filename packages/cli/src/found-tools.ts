import type { Hit } from '@quartermaster/core/search';

/**
 * The tools of an answer as a plain list: each hit, then the near-duplicates that were folded into it, with its score. They
 * count as entries, so that a list of five never names more than five tools. Only the hit has an explanation.
 */
export function foundTools(hits: readonly Hit[], limit: number): Omit<Hit, 'also'>[] {
  return hits
    .flatMap(({ also = [], ...hit }) => [hit, ...also.map((tool) => ({ tool, score: hit.score }))])
    .slice(0, limit);
}
