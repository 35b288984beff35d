export {
  type Access,
  configuredOwner,
  createGatekeeper,
  type Gatekeeper,
  isLoopback,
  isOwnOrigin,
  isUnlimitedAdmin,
  type SearchRefusal,
} from './access.ts';
export { countsTokens, searchAdmission, takeSearches } from './budgets.ts';
export { createUsageMeter, type UsageMeter, type UsedUp } from './usage-meter.ts';
