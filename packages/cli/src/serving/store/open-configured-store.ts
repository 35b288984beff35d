import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoreSettings } from '@quartermaster/host/config';
import { makeFolder, openStore, readEncryptionKey, type Store, StoreError } from '@quartermaster/host/store';
import type { CommandContext, SettingsFlags } from '../../commands/index.ts';
import { InputError, UnavailableError } from '../../input-error.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** Opens the store in the settings. If it is unavailable, the error says what to do. */
export async function openConfiguredStore(settings: StoreSettings): Promise<Store> {
  const { location, auditDays } = settings;
  if ('path' in location && location.path !== ':memory:') makeStoreFolder(location.path);
  try {
    return await openStore({ ...location, auditDays, encryptionKeys: tokenKeys(settings) });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw 'path' in location
      ? unavailableStore(location.path, error)
      : new UnavailableError(error.message, { cause: error });
  }
}

function makeStoreFolder(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw unavailableStore(path, error);
  }
}

/** Does something with the store in the settings. */
export async function withStore<Value>(
  settings: StoreSettings,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  const store = await openConfiguredStore(settings);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The same with the store of a command, which its flags and settings name. */
export function withNamedStore<Value>(
  flags: SettingsFlags,
  { io }: CommandContext,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  return withStore(loadSettings(flags, io.env).config.store, work);
}

/** Where it is, for people: an address may contain a password. */
export function describeStore({ location }: StoreSettings): string {
  if ('url' in location) return 'in PostgreSQL';
  return location.path === ':memory:' ? 'in memory, lost on exit' : location.path;
}

/** The error for a store file that can't be opened: which file, why, and what to do about it. */
function unavailableStore(path: string, cause: unknown): UnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const told = cause instanceof StoreError ? withPath(reason, path) : `The store ${path} can't be opened: ${reason}`;
  return new UnavailableError(`${told}; choose another with --store FILE, or keep nothing with --store :memory:`, {
    cause,
  });
}

/** Some of the store's own errors already start with its name. */
function withPath(reason: string, path: string): string {
  return reason.includes(path) ? reason : `${reason} (${path})`;
}

/** The length of an AES-256 key. */
const KEY_BYTES = 32;

/** The encryption keys: those in the settings, else the one in a file next to the store, if a sign-in has created it. */
function tokenKeys({ location, encryptionKeys }: StoreSettings): readonly Uint8Array[] {
  const file = keyFile(location);
  if (encryptionKeys.length > 0 || file === undefined || !existsSync(file)) return encryptionKeys;
  return [readEncryptionKey(readFileSync(file, 'utf8'))];
}

/**
 * Makes sure that tokens can be encrypted: with a key file next to the store if the settings have no key. A shared store needs a key
 * that all replicas share.
 */
export function makeTokenKey({ location, encryptionKeys }: StoreSettings): void {
  if (encryptionKeys.length > 0) return;
  const file = keyFile(location);
  if (file === undefined) throw new InputError('url' in location ? NEEDS_KEY : NEEDS_FILE);
  if (existsSync(file)) return;
  try {
    // Opening the store reports the problem; don't leave a key next to a file that isn't ours.
    if ('path' in location && existsSync(location.path) && !isDatabase(location.path)) return;
    makeFolder(dirname(file));
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw 'path' in location ? unavailableStore(location.path, error) : error;
  }
}

/** The same, for a sign-in that may happen later. A failure only disables sign-in. */
export function tryToMakeTokenKey(settings: StoreSettings): void {
  try {
    makeTokenKey(settings);
  } catch {
    // The sign-in reports it, if there ever is one.
  }
}

/** Whether a file is an SQLite database: empty, or with SQLite's header. */
function isDatabase(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const descriptor = openSync(path, 'r');
  try {
    const start = Buffer.alloc(SQLITE_START.length);
    const length = readSync(descriptor, start, 0, start.length, 0);
    return length === 0 || start.toString('latin1') === SQLITE_START;
  } finally {
    closeSync(descriptor);
  }
}

const SQLITE_START = 'SQLite format 3\0';

/**
 * Makes sure that conversation state can be stored encrypted. Returns a notice for the operator if it can't:
 * it then stays in memory.
 */
export function prepareTranscriptKey(settings: StoreSettings): string | undefined {
  if (settings.encryptionKeys.length > 0) return undefined;
  if (keyFile(settings.location) === undefined) {
    return 'url' in settings.location ? IN_MEMORY : undefined;
  }
  makeTokenKey(settings);
  return undefined;
}

const IN_MEMORY =
  'Conversation state is kept in memory and lost on restart: set QUARTERMASTER_ENCRYPTION_KEY to keep it in PostgreSQL';

/** Undefined for a store that is not a file. */
function keyFile(location: StoreSettings['location']): string | undefined {
  return 'path' in location && location.path !== ':memory:' ? `${location.path}.key` : undefined;
}

const NEEDS_KEY = `Tokens in PostgreSQL must be encrypted. Create a key, and use it on every replica:

  export QUARTERMASTER_ENCRYPTION_KEY=$(openssl rand -base64 32)`;

const NEEDS_FILE = 'An in-memory store loses the sign-in when this command ends; name a file with --store FILE';
