export { kindOf } from './kind-of.ts';
export { endSession, openTransport, type TransportOptions } from './open-transport.ts';
