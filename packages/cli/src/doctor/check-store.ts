import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '@quartermaster/host/config';
import { ledgerOf, type Places } from '../clients/index.ts';
import { describeStore, openConfiguredStore, userStore } from '../serving/index.ts';
import type { Check } from './check.ts';

/** Whether the store opens and accepts writes, whether secrets can be encrypted, and who else can read or change the files. */
export async function checkStore({ store, files }: Pick<Config, 'store' | 'files'>): Promise<readonly Check[]> {
  const opened = await checkOpening(store);
  return [opened, ...checkKey(store), ...checkPermissions(store, files)];
}

async function checkOpening(settings: Config['store']): Promise<Check> {
  try {
    const store = await openConfiguredStore(settings);
    try {
      await store.ping();
    } finally {
      await store.close();
    }
    const path = fileOf(settings);
    if (path === undefined) return { area: 'store', status: 'ok', message: `reachable, ${describeStore(settings)}` };
    // SQLite also writes files next to its own.
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return { area: 'store', status: 'ok', message: `reachable and writable: ${path}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fix =
      fileOf(settings) === undefined
        ? 'check that the database runs and that its address is right'
        : isAccessFault(error)
          ? 'make its folder writable for this user, or name another file with --store'
          : 'do what the message says, or name another file with --store';
    return { area: 'store', status: 'problem', message: reason, fix };
  }
}

/** Whether the file system refused, as opposed to a file that is of a newer version or no database. */
function isAccessFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isRefused =
    'code' in error && ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST'].includes(String(error.code));
  return isRefused || isAccessFault(error.cause);
}

/** Clients start in any folder, most without settings, so a sign-in in this folder's store does not reach them. */
export function checkSharing(settings: Config['store'], places: Places): readonly Check[] {
  const shared = userStore(places);
  if (ledgerOf(places).list().length === 0 || fileOf(settings) === shared) return [];
  return [
    {
      ...{ area: 'store', status: 'note', message: `clients that start outside this folder use ${shared}` },
      fix: `to sign in or answer inputs for them, add --store ${shared} to mcp login and mcp input`,
    },
  ];
}

function checkKey(settings: Config['store']): readonly Check[] {
  const path = fileOf(settings);
  if (settings.encryptionKeys.length > 0) {
    return [{ area: 'key', status: 'ok', message: 'secrets are encrypted with the key of the settings' }];
  }
  if (path !== undefined) {
    const isThere = existsSync(`${path}.key`);
    const message = isThere
      ? `secrets are encrypted with ${path}.key`
      : 'there is no encryption key yet; one is created next to the store when it is first needed';
    return [{ area: 'key', status: isThere ? 'ok' : 'note', message }];
  }
  if (!('url' in settings.location)) return [];
  return [
    {
      ...{ area: 'key', status: 'problem' },
      message: 'there is no encryption key: sign-ins and conversation state are not kept in PostgreSQL',
      fix: 'export QUARTERMASTER_ENCRYPTION_KEY=$(openssl rand -base64 32), the same for every replica',
    },
  ];
}

/** Only this user may read secrets, or change which programs are started. */
function checkPermissions(settings: Config['store'], files: readonly string[]): readonly Check[] {
  if (process.platform === 'win32') return [];
  const path = fileOf(settings);
  const secret = path === undefined ? [] : [path, `${path}.key`];
  const checks: Check[] = [
    ...secret
      .filter((file) => (modeOf(file) & 0o077) !== 0)
      .map(
        (file): Check => ({
          ...{ area: 'permissions', status: 'problem', message: `other users can read ${file}` },
          fix: `chmod 600 ${file}`,
        }),
      ),
    ...files
      .filter((file) => (modeOf(file) & 0o022) !== 0)
      .map(
        (file): Check => ({
          ...{ area: 'permissions', status: 'problem' },
          message: `other users can change ${file}, which decides which programs are started`,
          fix: `chmod go-w ${file}`,
        }),
      ),
  ];
  if (checks.length > 0) return checks;
  return [{ area: 'permissions', status: 'ok', message: 'no other user can read the store or change the settings' }];
}

function modeOf(file: string): number {
  try {
    return statSync(file).mode;
  } catch {
    return 0;
  }
}

function fileOf({ location }: Config['store']): string | undefined {
  return 'path' in location && location.path !== ':memory:' ? location.path : undefined;
}
