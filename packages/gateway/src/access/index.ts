export { type Access, configuredOwner, createGatekeeper, type Gatekeeper, isLoopback, isOwnOrigin } from './access.ts';
export { createUsageMeter, type UsageMeter, type UsedUp } from './usage-meter.ts';
