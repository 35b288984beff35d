import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '@quartermaster/core/errors';
import { makeFolder } from '@quartermaster/host/store';
import { readRecord, type SessionStore } from './session-store.ts';

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
