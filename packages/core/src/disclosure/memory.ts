/** What a conversation has shown so far, read from its messages. All names are those that the model sees. */
export interface Memory {
  /** Tools whose definitions the conversation has revealed, in discovery order, each once. */
  readonly revealed: readonly string[];
  /** Tools that were called, in the order of their first call, each once. */
  readonly called: readonly string[];
  /** How many calls to real tools were made, repeated ones counted. */
  readonly calls: number;
  /** Every search, in order. */
  readonly searches: readonly PastSearch[];
}

export interface PastSearch {
  /** Several queries of one search are joined by a line feed. */
  readonly query: string;
  readonly found: number;
  /** How many calls to real tools had been made before this search: tells a stuck model from a busy one. */
  readonly callsBefore: number;
}

/** One thing that the messages say. A wire reads facts; what they add up to is decided here only. */
export type Fact =
  | { readonly kind: 'searched'; readonly queries: readonly string[]; readonly names: readonly string[] }
  | { readonly kind: 'revealed'; readonly names: readonly string[] }
  | { readonly kind: 'called'; readonly name: string };

export const EMPTY_MEMORY: Memory = { revealed: [], called: [], calls: 0, searches: [] };

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
        searches: [
          ...memory.searches,
          { query: fact.queries.join('\n'), found: fact.names.length, callsBefore: memory.calls },
        ],
      };
    case 'revealed':
      return { ...memory, revealed: union(memory.revealed, fact.names) };
    case 'called':
      return { ...memory, called: union(memory.called, [fact.name]), calls: memory.calls + 1 };
  }
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
