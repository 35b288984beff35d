export {
  type Access,
  configuredOwner,
  countsTokens,
  createGatekeeper,
  type Gatekeeper,
  isLoopback,
  isOwnOrigin,
  isUnlimitedAdmin,
  ownerSeenBy,
  type SearchRefusal,
  searchAdmission,
  takeSearches,
} from './access.ts';
export { createUsageMeter, type UsageMeter, type UsedUp } from './usage-meter.ts';
