export type {
  Config,
  ConfiguredKey,
  DeferralSource,
  IndexCacheSettings,
  InsightSettings,
  LimitSettings,
  ListenSettings,
  McpConnectorSettings,
  McpLimitSettings,
  McpServerOptions,
  McpServerSettings,
  McpSettings,
  ModelPrice,
  OAuthSettings,
  RemoteServerSettings,
  SearchSettings,
  ServerInput,
  ServerNote,
  StdioServerSettings,
  StoreSettings,
  ToolSettings,
  TranscriptSettings,
  UnusableServer,
  UpstreamProvider,
  UpstreamSettings,
  UsageSettings,
} from './config.ts';
export { ConfigError, type ConfigProblem } from './config-error.ts';
export { CONFIG_DEFAULTS, INDEX_CACHE_DEFAULTS } from './config-shape.ts';
export { describeConfig } from './describe-config.ts';
export type { Environment } from './expand-variables.ts';
export { INSIGHT_DEFAULTS } from './insight-shape.ts';
export { type LoadConfigOptions, loadConfig } from './load-config.ts';
export type { ConfigFlags } from './overrides.ts';
export { type ClientFile, type ClientServer, readClientFile } from './read-client-file.ts';
export { type HintsEntry, type HintsFile, readHints, readHintsFile } from './read-hints.ts';
