import type { StoredListing } from '@quartermaster/mcp';
import { ByteCache, type MemoryBudget } from '../catalogs/index.ts';

/** Recent listings of servers, so that a conversation does not request them every time. In memory only. */
export interface ListingCache {
  /** The key identifies the owner of the request, the address and the token, none of which can be read from it. */
  get(key: string): StoredListing | undefined;
  /** @param owner whose request it is. @default '' */
  put(key: string, listing: StoredListing, owner?: string): void;
}

export function createListingCache(options: {
  readonly now: () => number;
  /** How long a listing is cached. @default 60_000 */
  readonly lifeMs?: number;
  readonly memory: MemoryBudget;
}): ListingCache {
  const { now } = options;
  const { lifeMs = LIFE_MS, memory } = options;
  const kept = new ByteCache<{ readonly listing: StoredListing; readonly until: number }>(memory);
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (now() < entry.until) return entry.listing;
      kept.delete(key);
      return undefined;
    },
    put(key, listing, owner) {
      const bytes = JSON.stringify(listing).length * BYTES_PER_CHARACTER;
      kept.set(key, { listing, until: now() + lifeMs }, { bytes, owner });
    },
  };
}

/** The memory of values per character of their text. */
const BYTES_PER_CHARACTER = 4;

const LIFE_MS = 60_000;
