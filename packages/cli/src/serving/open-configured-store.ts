import type { StoreSettings } from '@quartermaster/host/config';
import { openStore, type Store, StoreError } from '@quartermaster/host/store';
import { UnavailableError } from '../input-error.ts';
import { tokenKeys } from './token-key-file.ts';

/** Opens the store that the settings name. One that can't be had is told with what to do about it. */
export async function openConfiguredStore(settings: StoreSettings): Promise<Store> {
  const { location } = settings;
  try {
    return await openStore({ ...location, encryptionKeys: tokenKeys(settings) });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const hint = 'path' in location ? '; name another with --store FILE, or keep nothing with --store :memory:' : '';
    throw new UnavailableError(`${error.message}${hint}`, { cause: error });
  }
}

/** Where it is, for people: an address holds a password. */
export function describeStore({ location }: StoreSettings): string {
  if ('url' in location) return 'in PostgreSQL';
  return location.path === ':memory:' ? 'in memory, gone when this ends' : location.path;
}
