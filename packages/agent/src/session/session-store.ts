import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import { tryParseJson } from '@quartermaster/core/internal';
import { type SessionStore as DatabaseSessions, makeFolder } from '@quartermaster/host/store';
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
function readRecord(text: string): readonly SessionRecord[] {
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

/** Keeps sessions in Quartermaster's store: SQLite, or PostgreSQL, where any replica can resume them. */
export function createDatabaseSessionStore(sessions: Pick<DatabaseSessions, 'read' | 'append'>): SessionStore {
  return {
    async read(id) {
      return (await sessions.read(id))?.flatMap(readRecord);
    },
    append: (id, records) =>
      sessions.append(
        id,
        records.map((record) => JSON.stringify(record)),
      ),
  };
}

/** A larger session is not read: it would not fit into any model either. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Keeps each session in a separate file, one record per line, which only the user can read. */
export function createFileSessionStore(folder: string): SessionStore {
  const pathOf = (id: string): string => {
    // The id becomes the name of a file.
    if (!/^[\w-]{1,100}$/.test(id)) {
      throw new RequestError(
        'invalid_request',
        `The session id ${JSON.stringify(id.slice(0, 200))} is not valid; allowed: letters, digits, _ and -`,
      );
    }
    return join(folder, `${id}.jsonl`);
  };
  return {
    pathOf,
    async read(id) {
      const path = pathOf(id);
      try {
        const { size } = await stat(path);
        if (size > MOST_BYTES) {
          throw new RequestError(
            'invalid_request',
            `The session ${id} has ${size} bytes; at most ${MOST_BYTES} are read`,
          );
        }
        return (await readFile(path, 'utf8')).split('\n').flatMap(readRecord);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async latest() {
      const names = await readdir(folder).catch(() => []);
      const sessions = names.flatMap((name) => /^([\w-]{1,100})\.jsonl$/.exec(name)?.[1] ?? []);
      const times = await Promise.all(
        sessions.map(async (id) => ({
          id,
          ms: await stat(pathOf(id)).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          ),
        })),
      );
      return times.sort((left, right) => right.ms - left.ms)[0]?.id;
    },
    async append(id, records) {
      const path = pathOf(id);
      makeFolder(folder);
      // Each record starts a new line, so that one that a crash cut off does not damage the next.
      await appendFile(path, records.map((record) => `\n${JSON.stringify(record)}`).join(''), { mode: 0o600 });
    },
  };
}
