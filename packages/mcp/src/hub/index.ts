export { ANY_RESULT } from './any-result.ts';
export { type ChangedField, changedFields } from './changed-fields.ts';
export type { DefinitionChange, Quarantine } from './compare-pins.ts';
export type { Connection, Outgoing } from './connection.ts';
export { BACKOFF_DEFAULTS, type Backoff } from './connection-slot.ts';
export { CLIENT_INFO, createHub, type HubOptions } from './create-hub.ts';
export { type FindingsPolicy, findSuspicions, type Suspicion, type SuspicionKind } from './find-suspicions.ts';
export { hashDefinition } from './hash-definition.ts';
export type { FollowRequest, Hub, HubCall, HubEvent, HubRequest, HubServers, StartOptions } from './hub.ts';
export { LIST_DEFAULTS, type ListLimits } from './list-tools.ts';
export type { Peer, PeerRequest, ServerNotification } from './peer.ts';
export type { Origin } from './server-connections.ts';
export {
  type Connectable,
  type InProcessSettings,
  type RemoteSettings,
  SERVER_DEFAULTS,
  type ServerOptions,
  type ServerSettings,
  type StdioSettings,
} from './server-settings.ts';
export type { ServerStatus, ServerSummary } from './server-status.ts';
