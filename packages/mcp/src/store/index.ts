export { createMemoryListingStore, type ListingStore, type StoredListing } from './listing-store.ts';
export { createMemoryPinStore, type Pin, type PinStore } from './pin-store.ts';
export { createMemoryTokenStore, type TokenOwner, type TokenStore } from './token-store.ts';
