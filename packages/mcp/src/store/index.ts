export type { Pin, PinStore, StoredListing, TokenOwner } from '@quartermaster/host/store';
export { createMemoryListingStore, type ListingStore } from './listing-store.ts';
export { createMemoryPinStore } from './pin-store.ts';
export { createMemoryTokenStore, type TokenStore } from './token-store.ts';
