import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InputError } from '../input-error.ts';
import { ledgerFile } from '../serving/settings/data-folder.ts';
import { replaceFile } from './client-file.ts';

/** What was done to a client's file, so that it can be undone. */
export interface Installed {
  readonly client: string;
  /** The client's file. */
  readonly file: string;
  /** The project whose servers were moved, if any. */
  readonly project?: string;
  /** A copy of the file before the move. */
  readonly backup: string;
  /** The servers that moved. */
  readonly moved: readonly string[];
  /** The file that they moved to, and its hash when it was written. */
  readonly servers: { readonly path: string; readonly hash: string };
  /** Hashes of the client's file. */
  readonly before: string;
  readonly after: string;
  /** In ISO 8601. */
  readonly at: string;
}

/** The record of what was done, in the user's data folder. */
export interface Ledger {
  readonly folder: string;
  list(): readonly Installed[];
  add(installed: Installed): void;
  remove(installed: Installed): void;
}

export function openLedger(dataFolder: string): Ledger {
  const file = ledgerFile(dataFolder);
  const folder = dirname(file);
  const list = (): readonly Installed[] => readRecords(file);
  const write = (installed: readonly Installed[]): void => replaceFile(file, `${JSON.stringify(installed, null, 2)}\n`);
  return {
    folder,
    list,
    add: (installed) => write([...list(), installed]),
    remove: ({ servers }) => write(list().filter((one) => one.servers.path !== servers.path)),
  };
}

/** What we have written to a file, one record or a list of them. */
export function readRecords<Entry>(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as Entry | readonly Entry[]].flat() as Entry[];
  } catch (error) {
    throw new InputError(`${file} can't be read; the backups of your clients' files are in the same folder`, {
      cause: error,
    });
  }
}
