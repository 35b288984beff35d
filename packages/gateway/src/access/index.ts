export {
  type Access,
  configuredOwner,
  createGatekeeper,
  type Gatekeeper,
  isLoopback,
  isOwnOrigin,
  isUnlimitedAdmin,
  ownerSeenBy,
  type SearchRefusal,
} from './access.ts';
export {
  countsTokens,
  createUsageMeter,
  searchAdmission,
  takeSearches,
  type UsageMeter,
  type UsedUp,
} from './usage-meter.ts';
