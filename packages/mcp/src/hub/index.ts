// The client of many servers. `create-hub.ts` is the entry point: it has a `hub-server.ts` for each server, with its tools
// (`server-catalog.ts`) and its connections (`server-connections.ts`: one that is shared, and one for each user or client that needs
// its own). Below them are four folders that know nothing of the hub:
//   transport/    bytes to messages: processes and HTTP, with limits on what comes in
//   connection/   one connection: opened, kept or reopened, with calls, subscriptions and their time limits
//   definitions/  a server's list, read into tools: pages, limits, invisible characters, unusable definitions
//   trust/        whether a definition may be shown: pins, changes that await approval, suspicious texts
export { ANY_RESULT, BACKOFF_DEFAULTS, type Backoff, type Connection, type Outgoing } from './connection/index.ts';
export { createHub } from './create-hub.ts';
export { LIST_DEFAULTS, type ListLimits } from './definitions/index.ts';
export type {
  FollowRequest,
  Hub,
  HubCall,
  HubEvent,
  HubRequest,
  HubServers,
  Peer,
  PeerRequest,
  ServerNotification,
  StartOptions,
} from './hub.ts';
export { CLIENT_INFO, type HubOptions } from './hub-options.ts';
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
export {
  type ChangedField,
  changedFields,
  type DefinitionChange,
  type FindingsPolicy,
  findSuspicions,
  hashDefinition,
  type Quarantine,
  type Suspicion,
  type SuspicionKind,
} from './trust/index.ts';
