import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, INDEX_CACHE_DEFAULTS } from '@quartermaster/host/config';
import { indexCacheFolder } from '@quartermaster/host/search';
import { ledgerOf, type Places } from '../clients/index.ts';
import type { CommandIo } from '../command-io.ts';
import { describeStore, userStore, withStore } from '../serving/index.ts';
import { count } from '../terminal/index.ts';
import { type Check, ok, problem, remark } from './check.ts';

/** Whether the store opens and accepts writes, whether secrets can be encrypted, and who else can read or change the files. */
export async function checkStore({ store, files }: Pick<Config, 'store' | 'files'>): Promise<readonly Check[]> {
  const opened = await checkOpening(store);
  return [opened, ...checkKey(store), ...checkPermissions(store, files)];
}

async function checkOpening(settings: Config['store']): Promise<Check> {
  try {
    await withStore(settings, (store) => store.ping());
    const path = fileOf(settings);
    if (path === undefined) return ok('store', `reachable, ${describeStore(settings)}`);
    // SQLite also writes files next to its own.
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return ok('store', `reachable and writable: ${path}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fix =
      fileOf(settings) === undefined
        ? 'check that the database runs and that its address is right'
        : isAccessFault(error)
          ? 'make its folder writable for this user, or name another file with --store'
          : 'do what the message says, or name another file with --store';
    return problem('store', reason, fix);
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
  const fix = `to sign in or answer inputs for them, add --store ${shared} to mcp login and mcp input`;
  return [remark('store', `clients that start outside this folder use ${shared}`, fix)];
}

function checkKey(settings: Config['store']): readonly Check[] {
  const path = fileOf(settings);
  if (settings.encryptionKeys.length > 0) return [ok('key', 'secrets are encrypted with the key of the settings')];
  if (path !== undefined && existsSync(`${path}.key`)) return [ok('key', `secrets are encrypted with ${path}.key`)];
  if (path !== undefined) {
    return [remark('key', 'there is no encryption key yet; one is created next to the store when it is first needed')];
  }
  if (!('url' in settings.location)) return [];
  const message = 'there is no encryption key: sign-ins and conversation state are not kept in PostgreSQL';
  const fix = 'export QUARTERMASTER_ENCRYPTION_KEY=$(openssl rand -base64 32), the same for every replica';
  return [problem('key', message, fix)];
}

/** Only this user may read secrets, or change which programs are started. */
function checkPermissions(settings: Config['store'], files: readonly string[]): readonly Check[] {
  if (process.platform === 'win32') return [];
  const path = fileOf(settings);
  const secret = path === undefined ? [] : [path, `${path}.key`];
  const readable = secret.filter((file) => (modeOf(file) & 0o077) !== 0);
  const writable = files.filter((file) => (modeOf(file) & 0o022) !== 0);
  const decides = 'which decides which programs are started';
  const checks = [
    ...readable.map((file) => problem('permissions', `other users can read ${file}`, `chmod 600 ${file}`)),
    ...writable.map((file) =>
      problem('permissions', `other users can change ${file}, ${decides}`, `chmod go-w ${file}`),
    ),
  ];
  return checks.length > 0 ? checks : [ok('permissions', 'no other user can read the store or change the settings')];
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

/** Where indexes are cached on disk, and how much space they take. */
export function checkCache({ search }: Pick<Config, 'search'>, env: CommandIo['env']): Check {
  const settings = search.cache ?? INDEX_CACHE_DEFAULTS;
  const folder = indexCacheFolder(settings, env);
  if (folder === undefined) {
    return remark('cache', 'indexes are not kept on disk, so every start rebuilds them');
  }
  const sizes = namesIn(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  const taken = sizes.reduce((sum, size) => sum + size, 0);
  const share = `${mebibytes(taken)} of ${mebibytes(settings.diskBytes)}`;
  return ok('cache', `indexes are kept in ${folder} (${share}); you can delete the folder at any time`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is created when the first index is cached.
    return [];
  }
}

function mebibytes(bytes: number): string {
  return `${count(Math.round(bytes / 1024 / 1024))} MiB`;
}
