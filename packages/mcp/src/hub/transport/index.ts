export { endSession, openTransport, type TransportOptions } from './open-transport.ts';
export { kindOf } from './parse-message.ts';
