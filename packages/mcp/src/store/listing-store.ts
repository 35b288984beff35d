import type { JsonObject } from '@quartermaster/core/catalog';

/** What a server said about itself when it was last asked, so that it can be searched before it is started. */
export interface StoredListing {
  /** SHA-256 over the definitions in hexadecimal: equal hashes mean equal tools. */
  readonly hash: string;
  /** The definitions of `tools/list`, as received. */
  readonly tools: readonly JsonObject[];
  /** The server's capabilities, as received. */
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** Where the server's list was cut off, if it was: `after 100 pages`. */
  readonly stopped?: string;
  /** How many of the tools can't be used, and why one of them can't: those that are no JSON objects are not kept. */
  readonly unreadable?: string;
}

/** Where listings are kept between runs. The key is made of a server's settings, secrets left out. */
export interface ListingStore {
  get(key: string): Promise<StoredListing | undefined>;
  put(key: string, listing: StoredListing): Promise<void>;
}

/** Keeps listings in memory. */
export function createMemoryListingStore(): ListingStore {
  const listings = new Map<string, StoredListing>();
  return {
    get: async (key) => listings.get(key),
    put: async (key, listing) => {
      listings.set(key, listing);
    },
  };
}
