import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexCache } from '@quartermaster/core/search';
import { makeFolder } from '../store/index.ts';

export interface DiskIndexCacheOptions {
  /** Created when the first index is stored, readable by its owner only. */
  readonly folder: string;
  /** The limit of all files together; the least recently used are deleted first. */
  readonly maxBytes: number;
  /** Milliseconds since 1970. @default the system's */
  readonly now?: () => number;
}

/**
 * Indexes as files, for any number of processes: a file is written under another name and then renamed, so no reader ever sees a
 * partial one, even if its writer is killed. Two that write the same index write the same bytes, and the last one stays.
 */
export function createDiskIndexCache({ folder, maxBytes, now = Date.now }: DiskIndexCacheOptions): IndexCache {
  const pathOf = (key: string): string =>
    join(folder, `${createHash('sha256').update(key).digest('hex')}${FILE_ENDING}`);

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const draft = `${path}.${randomUUID()}${DRAFT_ENDING}`;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        // After a power failure a name must not refer to data that was never written.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Also deletes what a killed writer left behind. */
  async function makeRoom(): Promise<void> {
    const files: { readonly path: string; readonly size: number; readonly usedAt: number }[] = [];
    let bytes = 0;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      // Another process may have deleted it in the meantime.
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined || !found.isFile()) continue;
      const { size, mtimeMs: usedAt } = found;
      if (name.endsWith(FILE_ENDING)) files.push({ path, size, usedAt });
      else if (!name.endsWith(DRAFT_ENDING)) continue;
      else if (usedAt < now() - ABANDONED_MS) await rm(path, { force: true });
      else bytes += size;
    }
    files.sort((left, right) => right.usedAt - left.usedAt);
    for (const { path, size } of files) {
      bytes += size;
      if (bytes > maxBytes) await rm(path, { force: true });
    }
  }

  return {
    async load(key) {
      const file = await open(pathOf(key), READ_FILE_ALONE).catch(() => undefined);
      try {
        const found = await file?.stat();
        if (file === undefined || found?.isFile() !== true || found.size > maxBytes) return undefined;
        const bytes = Buffer.allocUnsafeSlow(found.size);
        const { bytesRead } = await file.read(bytes);
        const seconds = now() / 1000;
        // Whether that could be recorded or not, it was read.
        await file.utimes(seconds, seconds).catch(() => undefined);
        return bytesRead === bytes.length ? bytes : undefined;
      } catch {
        return undefined;
      } finally {
        await file?.close();
      }
    },
    async save(key, bytes) {
      if (bytes.length > maxBytes) return;
      makeFolder(folder, 0o700);
      await write(pathOf(key), bytes);
      await makeRoom();
    },
  };
}

const FILE_ENDING = '.qmx';
const DRAFT_ENDING = '.draft';
/** Writing an index never takes this long. */
const ABANDONED_MS = 10 * 60_000;
/** A pipe in place of a file must not block the reader, and a link must not redirect it. Windows has neither of these. */
const READ_FILE_ALONE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
