export type { Pin, PinStore, StoredListing, TokenOwner } from '@quartermaster/host/store';
export {
  createMemoryListingStore,
  createMemoryPinStore,
  createMemoryTaskOwnerStore,
  createMemoryTokenStore,
  type ListingStore,
  ownerKey,
  type TaskOwnerStore,
  type TokenStore,
} from './memory-stores.ts';
