export { ANY_RESULT } from './any-result.ts';
export type { Connection, Outgoing } from './connection.ts';
export {
  BACKOFF_DEFAULTS,
  type Backoff,
  type ConnectionEnd,
  ConnectionSlot,
  type SlotState,
} from './connection-slot.ts';
export { FollowedResources } from './followed-resources.ts';
export { ForgottenSessionError } from './forgotten-session-error.ts';
export { openConnection } from './open-connection.ts';
