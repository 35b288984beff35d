export { type Access, createGatekeeper, type Gatekeeper, isLoopback } from './access.ts';
export { createUsageMeter, type UsageMeter, type UsedUp } from './usage-meter.ts';
