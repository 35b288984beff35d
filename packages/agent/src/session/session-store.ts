import { isJsonObject } from '@quartermaster/core/catalog';
import { tryParseJson } from '@quartermaster/core/internal';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';

/** Where conversations are stored, so that they can be resumed. */
export interface SessionStore {
  /** The appended records, in order. Undefined for an unknown session. */
  read(sessionId: string): Promise<readonly SessionRecord[] | undefined>;
  append(sessionId: string, records: readonly SessionRecord[]): Promise<void>;
  /** The latest session, for `continue`; undefined if there is none. */
  latest?(): Promise<string | undefined>;
  /** The file of a session, for hooks that read it. */
  pathOf?(sessionId: string): string;
}

/** One entry of a stored session. */
export type SessionRecord =
  | { readonly kind: 'message'; readonly message: AnthropicMessage }
  /** The conversation restarts with these messages: after a compaction, or as a fork. */
  | { readonly kind: 'restart'; readonly messages: readonly AnthropicMessage[] };

/** The record in a line, if there is one: a line that a crash cut off loses itself, not the session. */
export function readRecord(text: string): readonly SessionRecord[] {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return [];
  if (value.kind === 'message' && isMessage(value.message)) return [{ kind: 'message', message: value.message }];
  if (value.kind !== 'restart' || !Array.isArray(value.messages)) return [];
  return [{ kind: 'restart', messages: (value.messages as readonly unknown[]).filter(isMessage) }];
}

function isMessage(value: unknown): value is AnthropicMessage {
  return (
    isJsonObject(value) &&
    typeof value.role === 'string' &&
    (typeof value.content === 'string' || Array.isArray(value.content))
  );
}

/** The conversation in the records. */
export function replay(records: readonly SessionRecord[]): readonly AnthropicMessage[] {
  const start = records.findLastIndex((record) => record.kind === 'restart');
  return records
    .slice(Math.max(0, start))
    .flatMap((record) => (record.kind === 'restart' ? record.messages : [record.message]));
}

/** Keeps sessions for the lifetime of the process. */
export function createMemorySessionStore(): SessionStore {
  const sessions = new Map<string, SessionRecord[]>();
  return {
    read: async (id) => sessions.get(id),
    latest: async () => [...sessions.keys()].at(-1),
    async append(id, records) {
      const known = sessions.get(id) ?? [];
      known.push(...records);
      // The map is in the order of writing.
      sessions.delete(id);
      sessions.set(id, known);
    },
  };
}
