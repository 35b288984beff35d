export { type Access, createGatekeeper, type Gatekeeper, isLoopback } from './access.ts';
