export type { Pin, PinStore, StoredListing, TokenOwner } from '@quartermaster/host/store';
export { createMemoryListingStore, type ListingStore } from './listing-store.ts';
export { createMemoryPinStore } from './pin-store.ts';
export { createMemoryTaskOwnerStore, type TaskOwnerStore } from './task-owner-store.ts';
export { createMemoryTokenStore, type TokenStore } from './token-store.ts';
