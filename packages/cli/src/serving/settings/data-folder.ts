import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { CommandIo } from '../../command-io.ts';

export interface DataFolderOptions {
  readonly env: CommandIo['env'];
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
  /** @default the user's */
  readonly home?: string;
}

/**
 * Where a user's programs keep their data: never the current folder, which may be a project.
 * `XDG_DATA_HOME` applies everywhere; a relative one is ignored (https://specifications.freedesktop.org/basedir-spec).
 */
export function dataFolder({ env, platform = process.platform, home = homedir() }: DataFolderOptions): string {
  const chosen = env.XDG_DATA_HOME;
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, NAME);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), NAME);
  return join(home, '.local', 'share', NAME);
}

/** The store of every command that runs without a settings file, such as those that clients start. */
export function userStore(options: DataFolderOptions): string {
  return join(dataFolder(options), 'store.db');
}

/** The record of the clients whose servers were moved. */
export function ledgerFile(dataFolder: string): string {
  return join(dataFolder, 'clients', 'installed.json');
}

const NAME = 'quartermaster';
