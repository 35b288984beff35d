import { dirname } from 'node:path';
import type { StoreSettings } from '@quartermaster/host/config';
import { makeFolder, openStore, type Store, StoreError } from '@quartermaster/host/store';
import { UnavailableError } from '../../input-error.ts';
import { tokenKeys } from './token-key-file.ts';
import { unavailableStore } from './unavailable-store.ts';

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

/** Where it is, for people: an address may contain a password. */
export function describeStore({ location }: StoreSettings): string {
  if ('url' in location) return 'in PostgreSQL';
  return location.path === ':memory:' ? 'in memory, lost on exit' : location.path;
}
