import { type ApiKey, hashApiKey, type KeyStore } from '@quartermaster/host/store';
import { isStoreError } from '../http/index.ts';

/** API keys of the store, as they were a moment ago. */
export interface KnownKeys {
  /** Whose secret this is, revoked or not. */
  find(secret: string): Promise<ApiKey | undefined>;
  /** The key of this id, revoked or not. */
  get(id: string): Promise<ApiKey | undefined>;
  /** Whether there is any key at all, revoked ones included. */
  hasAny(): Promise<boolean>;
}

/** How long a look-up is believed, and so how long a replica may go on taking a key that another process has revoked. */
const FRESH_MS = 1_000;

/** How long it is believed while the store is unavailable. Longer would let a key outlive a lost database by too much. */
const STALE_MS = 30_000;

/** Keys kept; the ones used longest ago are forgotten first. */
const MOST_KEYS = 10_000;

interface Known<Value> {
  readonly value: Value;
  readonly at: number;
}

/** A blink of the database is no outage: look-ups that succeeded are believed for a short time. Failed ones never are. */
export function createKnownKeys(keys: KeyStore, now: () => number): KnownKeys {
  const known = new Map<string, Known<ApiKey | undefined>>();
  let any: Known<boolean> | undefined;

  async function believe<Value>(last: Known<Value> | undefined, look: () => Promise<Value>): Promise<Known<Value>> {
    if (last !== undefined && now() - last.at < FRESH_MS) return last;
    try {
      return { at: now(), value: await look() };
    } catch (error) {
      if (last !== undefined && isAway(error) && now() - last.at < STALE_MS) return last;
      throw error;
    }
  }

  async function lookUp(place: string, look: () => Promise<ApiKey | undefined>): Promise<ApiKey | undefined> {
    const found = await believe(known.get(place), look);
    known.delete(place);
    // What is not there is asked for again: anybody can make up secrets, and a new key must work at once.
    if (found.value !== undefined) known.set(place, found);
    const [oldest] = known.keys();
    if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    return found.value;
  }

  return {
    find: (secret) => lookUp(`secret/${hashApiKey(secret)}`, () => keys.find(secret)),
    get: (id) => lookUp(`id/${id}`, () => keys.get(id)),
    async hasAny() {
      // Keys are revoked, never deleted.
      if (any?.value === true) return true;
      any = await believe(any, async () => (await keys.list()).length > 0);
      return any.value;
    },
  };
}

function isAway(error: unknown): boolean {
  return isStoreError(error) && error.code === 'unavailable';
}
