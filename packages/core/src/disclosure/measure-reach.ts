import type { Memory } from './memory.ts';

/** How far conversations got with tools that they were not shown. */
export interface Reach {
  readonly conversations: number;
  /** Those in which the model searched at all. */
  readonly searched: number;
  /** Those in which a search found something. */
  readonly found: number;
  /** Those in which a real tool was called. */
  readonly called: number;
}

/**
 * Whether the model reaches what is deferred: a model that never searches never uses it, and no error says so. Made from the
 * memories that wires recall, so that nothing has to be recorded: `measureReach(requests.map((one) => wire.recall(one, plan)))`. Few
 * that searched among many that called nothing ask for pins, a listing or prefetch; many that searched and few that found, for
 * better descriptions.
 */
export function measureReach(memories: Iterable<Memory>): Reach {
  const reach = { conversations: 0, searched: 0, found: 0, called: 0 };
  for (const { searches, called } of memories) {
    reach.conversations += 1;
    if (searches.length > 0) reach.searched += 1;
    if (searches.some((search) => search.found > 0)) reach.found += 1;
    if (called.length > 0) reach.called += 1;
  }
  return reach;
}
