import { defined } from '../catalog/internal.ts';

/** What a conversation has shown so far, read from its messages. All names are those that the model sees. */
export interface Memory {
  /** Tools whose definitions the conversation has revealed, in discovery order, each once. */
  readonly revealed: readonly string[];
  /** Tools that were called, in the order of their first call, each once. */
  readonly called: readonly string[];
  /** Both of these, in the order in which each first came up: a list of tools that is made in this order only grows at its end. */
  readonly known: readonly string[];
  /** How often the conversation has moved on: every call to a real tool, and every message of the user's. */
  readonly moves: number;
  /** Every search, in order. */
  readonly searches: readonly PastSearch[];
}

/** One search that a conversation has made. */
export interface PastSearch {
  /** Several queries of one search are joined by a line feed. */
  readonly query: string;
  readonly found: number;
  /** The `moves` before this search, which distinguish a stuck model from a busy one. */
  readonly movesBefore: number;
  /** How many tools it asked for at most, where that is known. */
  readonly limit?: number;
  /** When it was made, on surfaces with a clock: those forget it after a while. */
  readonly atMs?: number;
}

/** One thing that the messages say. A wire reads facts; what they add up to is decided here only. */
export type Fact =
  | {
      readonly kind: 'searched';
      readonly queries: readonly string[];
      readonly names: readonly string[];
      readonly limit?: number;
      readonly atMs?: number;
    }
  | { readonly kind: 'revealed'; readonly names: readonly string[] }
  | { readonly kind: 'called'; readonly name: string }
  /** The user said something, so the search guard starts over. */
  | { readonly kind: 'asked' };

/** The memory of a conversation that has not begun. */
export const EMPTY_MEMORY: Memory = { revealed: [], called: [], known: [], moves: 0, searches: [] };

/**
 * Adds one fact. A pure fold: resuming a conversation is folding on, forking it is folding two ways from the same value,
 * and compaction is folding fewer facts.
 */
export function remember(memory: Memory, fact: Fact): Memory {
  switch (fact.kind) {
    case 'searched':
      return {
        ...memory,
        revealed: union(memory.revealed, fact.names),
        known: union(memory.known, fact.names),
        searches: [
          ...memory.searches,
          {
            query: cutQuery(fact.queries.join('\n')),
            found: fact.names.length,
            movesBefore: memory.moves,
            ...defined({ limit: fact.limit, atMs: fact.atMs }),
          },
        ],
      };
    case 'revealed':
      return { ...memory, revealed: union(memory.revealed, fact.names), known: union(memory.known, fact.names) };
    case 'called':
      return {
        ...memory,
        called: union(memory.called, [fact.name]),
        known: union(memory.known, [fact.name]),
        moves: memory.moves + 1,
      };
    case 'asked':
      return { ...memory, moves: memory.moves + 1 };
  }
}

/** Enough to tell queries apart: a text that no search takes is not kept for as long as a connection lasts. */
function cutQuery(query: string): string {
  return query.length <= MOST_QUERY_CHARACTERS
    ? query
    : `${query.slice(0, MOST_QUERY_CHARACTERS)}… (${query.length} characters)`;
}

const MOST_QUERY_CHARACTERS = 8_192;

/**
 * Drops old searches, for a connection that outlives its conversations. A search without a time is kept. The same memory when
 * nothing is dropped.
 */
export function forgetSearches(
  memory: Memory,
  { beforeMs, keep }: { readonly beforeMs: number; readonly keep: number },
): Memory {
  const recent = memory.searches.filter((search) => search.atMs === undefined || search.atMs >= beforeMs);
  const searches = recent.slice(Math.max(0, recent.length - keep));
  return searches.length === memory.searches.length ? memory : { ...memory, searches };
}

/** The same array when nothing is new, so that an unchanged memory can be recognised by identity. */
function union(known: readonly string[], names: readonly string[]): readonly string[] {
  const seen = new Set(known);
  const added: string[] = [];
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    added.push(name);
  }
  return added.length === 0 ? known : [...known, ...added];
}

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
