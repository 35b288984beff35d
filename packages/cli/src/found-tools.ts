import type { Hit } from '@quartermaster/core';

/**
 * The tools of an answer as a plain list: each hit, then the near-duplicates that were folded into it, with its score. They take
 * up places like any other, so that a list of five never names more than five tools.
 */
export function foundTools(hits: readonly Hit[], limit: number): Pick<Hit, 'tool' | 'score'>[] {
  return hits
    .flatMap(({ tool, score, also = [] }) => [tool, ...also].map((one) => ({ tool: one, score })))
    .slice(0, limit);
}
