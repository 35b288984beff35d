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
  searchAdmission,
  takeSearches,
} from './access.ts';
export type { UsedUpLimit } from './key-limits.ts';
export { createUsageMeter, type UsageMeter, type UsedUp } from './usage-meter.ts';
