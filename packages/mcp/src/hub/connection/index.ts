export type { Connection, Outgoing } from './connection.ts';
export { ANY_RESULT } from './connection.ts';
export {
  BACKOFF_DEFAULTS,
  type Backoff,
  type ConnectionEnd,
  ConnectionSlot,
  type SlotState,
} from './connection-slot.ts';
export { FollowedResources } from './followed-resources.ts';
export { openConnection } from './open-connection.ts';
export { ForgottenSessionError } from './watch-session.ts';
