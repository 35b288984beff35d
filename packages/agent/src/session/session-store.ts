import type { AnthropicMessage } from '@quartermaster/wires/anthropic';

/** Where conversations are kept, so that they can be resumed. */
export interface SessionStore {
  /** What was appended, in order. Undefined for a session that is not there. */
  read(sessionId: string): Promise<readonly SessionRecord[] | undefined>;
  append(sessionId: string, records: readonly SessionRecord[]): Promise<void>;
  /** The latest session, for `continue`; undefined if there is none. */
  latest?(): Promise<string | undefined>;
  /** The file of a session, for hooks that want to look at it. */
  pathOf?(sessionId: string): string;
}

/** One entry of a stored session. */
export type SessionRecord =
  | { readonly kind: 'message'; readonly message: AnthropicMessage }
  /** The conversation restarts with these: a compaction, or a fork. */
  | { readonly kind: 'restart'; readonly messages: readonly AnthropicMessage[] };

/** The conversation that the records tell. */
export function replay(records: readonly SessionRecord[]): readonly AnthropicMessage[] {
  const start = records.findLastIndex((record) => record.kind === 'restart');
  return records
    .slice(Math.max(0, start))
    .flatMap((record) => (record.kind === 'restart' ? record.messages : [record.message]));
}

/** Keeps sessions as long as the process lasts. */
export function createMemorySessionStore(): SessionStore {
  const sessions = new Map<string, SessionRecord[]>();
  return {
    read: async (id) => sessions.get(id),
    latest: async () => [...sessions.keys()].at(-1),
    async append(id, records) {
      const known = sessions.get(id) ?? [];
      known.push(...records);
      // The order of the map is the order of writing.
      sessions.delete(id);
      sessions.set(id, known);
    },
  };
}
