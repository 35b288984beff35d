import { BoundedMap, type Clock } from '@quartermaster/core/internal';
import { type ApiKey, hashApiKey, type KeyStore } from '@quartermaster/host/store';
import { isStoreError } from '../http/index.ts';

/** The store's API keys, cached for a moment. */
export interface KnownKeys {
  /** Whose secret this is, revoked or not. */
  find(secret: string): Promise<ApiKey | undefined>;
  /** The key of this id, revoked or not. */
  get(id: string): Promise<ApiKey | undefined>;
  /** Whether there is any key at all, revoked ones included. */
  hasAny(): Promise<boolean>;
  /** Until when a lookup that found no key at all is fresh, in milliseconds since 1970. Meanwhile no request need ask. */
  readonly noneUntil: number;
  /** Whether there was no key when that was last looked up. False after a change here, which only a gateway with keys has. */
  hadNone(): boolean;
  /** Discards the cache: a key was changed here. */
  forget(): void;
}

/** How long a lookup is cached, and so how long a replica may accept a key that another process has revoked. */
const FRESH_MS = 1_000;

/** How long it is cached while the store is unavailable. A longer time would let a key outlive a lost database by too much. */
const STALE_MS = 30_000;

/** How many keys are cached; the oldest lookups are dropped first. */
const MOST_KEYS = 10_000;

/** How long a lookup may take before the cached one is used instead: a frozen store must not delay every request. */
const PATIENCE_MS = 500;

interface Known<Value> {
  readonly value: Value;
  readonly at: number;
}

interface Belief<Value> {
  readonly place: string;
  readonly last: Known<Value> | undefined;
  keep(found: Known<Value>): void;
}

/** A blink of the database is not an outage: successful lookups are cached for a short time, failed ones never. */
export function createKnownKeys(keys: KeyStore, clock: Clock): KnownKeys {
  const { now } = clock;
  const known = new BoundedMap<string, Known<ApiKey | undefined>>(MOST_KEYS);
  const pending = new Set<string>();
  let any: Known<boolean> | undefined;
  let timesForgotten = 0;

  async function believe<Value>({ place, last, keep }: Belief<Value>, look: () => Promise<Value>): Promise<Value> {
    const [at, since] = [now(), timesForgotten];
    const isStale = last === undefined || at - last.at >= STALE_MS;
    // Another request is already looking it up; until then the cached answer is as good.
    if (!isStale && (at - last.at < FRESH_MS || pending.has(place))) return last.value;
    // An answer that no request waited for is still the newest, unless it may be from before a change.
    const looked = look().then((value) => {
      if (since === timesForgotten) keep({ at: isStale ? at : now(), value });
      return value;
    });
    if (isStale) return looked;
    pending.add(place);
    const told = looked.catch((error: unknown) => {
      if (isAway(error)) return last.value;
      throw error;
    });
    told.catch(() => undefined).finally(() => pending.delete(place));
    return Promise.race([told, later(last.value)]);
  }

  function later<Value>(value: Value): Promise<Value> {
    return new Promise((resolve) => {
      clock.after(PATIENCE_MS, () => resolve(value));
    });
  }

  async function lookUp(place: string, look: () => Promise<ApiKey | undefined>): Promise<ApiKey | undefined> {
    const keep = (found: Known<ApiKey | undefined>): void => {
      // Missing keys are not cached: anyone can make up secrets, and a new key must work at once.
      if (found.value === undefined) known.delete(place);
      else known.set(place, found);
    };
    return believe({ place, last: known.get(place), keep }, look);
  }

  const answers: KnownKeys & { noneUntil: number } = {
    noneUntil: 0,
    forget() {
      timesForgotten += 1;
      known.clear();
      any = undefined;
      answers.noneUntil = 0;
    },
    find: (secret) => lookUp(`secret/${hashApiKey(secret)}`, () => keys.find(secret)),
    get: (id) => lookUp(`id/${id}`, () => keys.get(id)),
    hadNone: () => any?.value === false,
    async hasAny() {
      // Keys are revoked, never deleted.
      if (any?.value === true) return true;
      const keep = (found: Known<boolean>): void => {
        any = found;
        answers.noneUntil = found.value ? 0 : found.at + FRESH_MS;
      };
      return believe({ place: 'any', last: any, keep }, async () => (await keys.list()).length > 0);
    },
  };
  return answers;
}

function isAway(error: unknown): boolean {
  return isStoreError(error) && error.code === 'unavailable';
}
