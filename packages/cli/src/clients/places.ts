import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CommandIo } from '../command-io.ts';

/** Where this user's programs keep their settings. Passed in, so that a test never touches the real ones. */
export interface Places {
  readonly home: string;
  /** For desktop programs: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
  readonly applications: string;
  /** For programs that follow the XDG specification everywhere but on Windows. */
  readonly xdg: string;
  readonly env: CommandIo['env'];
}

export function findPlaces(env: CommandIo['env'], platform: NodeJS.Platform = process.platform): Places {
  const home = env.HOME || env.USERPROFILE || homedir();
  const xdg = env.XDG_CONFIG_HOME || join(home, '.config');
  const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
  switch (platform) {
    case 'darwin':
      return { home, applications: join(home, 'Library', 'Application Support'), xdg, env };
    case 'win32':
      return { home, applications: roaming, xdg, env };
    default:
      return { home, applications: xdg, xdg, env };
  }
}
