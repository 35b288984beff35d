import type { Searcher, Snapshot } from '@quartermaster/core';
import { applySearchHints, type SearchHint } from '@quartermaster/core/catalog';

/** A hint that finds another tool of the same server before its own. */
export interface RejectedHint {
  readonly id: string;
  readonly hint: string;
  /** The tool that it finds. */
  readonly finds: string;
}

/**
 * Searches for each hint in a catalog whose tools have only the other half of their hints: found by its own text, any hint would
 * look good.
 */
export async function checkHints(
  snapshot: Snapshot,
  entries: ReadonlyMap<string, SearchHint>,
  options: {
    readonly create: (snapshot: Snapshot) => Promise<Searcher>;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<readonly RejectedHint[]> {
  const rejected: RejectedHint[] = [];
  const total = [...entries.values()].reduce((sum, { hints }) => sum + hints.length, 0);
  let done = 0;
  for (const half of [0, 1]) {
    const others = new Map(
      [...entries].map(([id, { hash, hints }]) => [id, { hash, hints: hints.filter((_, at) => at % 2 !== half) }]),
    );
    const searcher = await options.create(applySearchHints(snapshot, others).snapshot);
    for (const [id, { hints }] of entries) {
      const server = snapshot.get(id)?.server;
      for (const hint of hints.filter((_, at) => at % 2 === half)) {
        const { hits } = await searcher.search({ query: hint, limit: 10, allow: (tool) => tool.server === server });
        const first = hits.find(({ tool, also = [] }) => tool.id === id || also.every((twin) => twin.id !== id));
        if (first !== undefined && first.tool.id !== id) rejected.push({ id, hint, finds: first.tool.id });
        done += 1;
        options.onProgress?.(done, total);
      }
    }
  }
  return rejected;
}
