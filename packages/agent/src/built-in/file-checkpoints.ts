import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Confinement, readWhole, writeWhole } from './confinement.ts';

/** What `rewindFiles` did, or would do. */
export interface RewindFilesResult {
  /** False if any file could not be restored. */
  readonly canRewind: boolean;
  /** Why nothing was restored, or which files were not, and why. */
  readonly error?: string;
  /** The files that were restored, or would be with `dryRun`, named as `Write` and `Edit` show them. */
  readonly filesChanged?: readonly string[];
}

/** The content of files before the built-in tools changed them. */
export interface FileCheckpoints {
  /** Saves a file's content. Called before each change, with the real path. */
  keep(path: string): Promise<void>;
  /** Marks a message: files can be restored to their current content. */
  mark(messageId: string): void;
  /** Restores files to their content when the message was marked. `dryRun` only lists them. */
  rewind(messageId: string, options?: { readonly dryRun?: boolean }): Promise<RewindFilesResult>;
}

const MOST_KEPT_BYTES = 256 * 1024 * 1024;

interface Change {
  readonly path: string;
  /** Undefined if the file did not exist. */
  readonly before: Buffer | undefined;
}

/** Held in memory, for one query. */
export function createFileCheckpoints(
  confinement: Confinement,
  mostKeptBytes: number = MOST_KEPT_BYTES,
): FileCheckpoints {
  const changes: Change[] = [];
  const marks = new Map<string, number>();
  let keptBytes = 0;
  /** Changes before this one exceeded the limit. */
  let firstKept = 0;

  const forgetOldest = (): void => {
    keptBytes -= changes[firstKept]?.before?.byteLength ?? 0;
    changes[firstKept] = { path: '', before: undefined };
    firstKept += 1;
  };
  const keep = async (path: string): Promise<void> => {
    const found = await readIfThere(path, mostKeptBytes, confinement);
    const isTooLarge = found !== undefined && 'tooLarge' in found;
    const before = isTooLarge ? undefined : found;
    changes.push({ path, before });
    keptBytes += before?.byteLength ?? 0;
    // A file that can't be saved can't be restored to any earlier message.
    while (firstKept < changes.length && (isTooLarge || keptBytes > mostKeptBytes)) forgetOldest();
  };
  const rewind: FileCheckpoints['rewind'] = async (messageId, { dryRun = false } = {}) => {
    const from = marks.get(messageId);
    if (from === undefined) return { canRewind: false, error: `No message of this query has the id ${messageId}` };
    if (from < firstKept) {
      const error = `The files of that message are no longer kept: at most ${mostKeptBytes} bytes are`;
      return { canRewind: false, error };
    }
    // The first change after the message has the content at that time.
    const since = new Map<string, Change>();
    for (const change of changes.slice(from)) if (!since.has(change.path)) since.set(change.path, change);
    if (dryRun) return { canRewind: true, filesChanged: [...since.keys()].map(confinement.shown) };
    const filesChanged: string[] = [];
    const failures: string[] = [];
    for (const change of since.values()) {
      const shown = confinement.shown(change.path);
      try {
        checkFolder(change.path, confinement);
        // Restoring is a change too: the next rewind may go to a later message.
        await keep(change.path);
        await restore(change, confinement);
        filesChanged.push(shown);
      } catch (error) {
        failures.push(`${shown}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (failures.length === 0) return { canRewind: true, filesChanged };
    return { canRewind: false, error: `Not put back: ${failures.join('; ')}`, filesChanged };
  };
  return {
    keep,
    mark(messageId) {
      marks.set(messageId, changes.length);
    },
    rewind,
  };
}

function checkFolder(path: string, confinement: Confinement): void {
  const folder = dirname(path);
  if (confinement.real(folder) !== folder) throw new Error('it is behind a link now');
}

async function restore({ path, before }: Change, confinement: Confinement): Promise<void> {
  if (before === undefined) await rm(path, { force: true });
  else await writeWhole(path, before, confinement);
}

async function readIfThere(
  ...file: Parameters<typeof readWhole>
): Promise<Awaited<ReturnType<typeof readWhole>> | undefined> {
  try {
    return await readWhole(...file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
