import type { ListingStore as HostListingStore, StoredListing } from '@quartermaster/host/store';

/** Where listings are stored between runs. The key is made of a server's settings, without secrets. */
export type ListingStore = Pick<HostListingStore, 'get' | 'put'>;

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
