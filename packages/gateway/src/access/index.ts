export { type Access, createGatekeeper, type Gatekeeper, isLoopback } from './access.ts';
export { createUsageMeter, type UsageMeter } from './usage-meter.ts';
