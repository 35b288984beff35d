import type { StoredListing } from '@quartermaster/mcp';
import { ByteCache } from '../catalogs/index.ts';

/** What servers listed a moment ago, so that a conversation does not ask for it with every request. In memory alone. */
export interface ListingCache {
  /** The key stands for whose request it is, the address and the token, none of which can be read from it. */
  get(key: string): StoredListing | undefined;
  put(key: string, listing: StoredListing): void;
}

export function createListingCache(options: {
  readonly now: () => number;
  /** How long a listing is believed. @default 60_000 */
  readonly lifeMs?: number;
  /** @default 32 MiB */
  readonly maxBytes?: number;
}): ListingCache {
  const { now } = options;
  const { lifeMs, maxBytes } = { ...LISTING_CACHE_DEFAULTS, ...options };
  const kept = new ByteCache<{ readonly listing: StoredListing; readonly until: number }>(maxBytes);
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (now() < entry.until) return entry.listing;
      kept.delete(key);
      return undefined;
    },
    put(key, listing) {
      kept.set(key, { listing, until: now() + lifeMs }, JSON.stringify(listing).length * 2);
    },
  };
}

const LISTING_CACHE_DEFAULTS = { lifeMs: 60_000, maxBytes: 32 * 1024 * 1024 } as const;
