export {
  type Config,
  type ConfiguredKey,
  type DeferralSource,
  type IndexCacheSettings,
  type InsightSettings,
  type LimitSettings,
  type ListenSettings,
  type McpConnectorSettings,
  type McpLimitSettings,
  type McpServerOptions,
  type McpServerSettings,
  type McpSettings,
  type ModelPrice,
  type OAuthSettings,
  type RemoteServerSettings,
  type SearchSettings,
  type ServerInput,
  type ServerNote,
  type StdioServerSettings,
  type StoreSettings,
  type ToolSettings,
  type TranscriptSettings,
  type UnusableServer,
  UPSTREAM_PROVIDERS,
  type UpstreamProvider,
  type UpstreamSettings,
  type UsageSettings,
} from './config.ts';
export { ConfigError, type ConfigProblem } from './config-error.ts';
export { configJsonSchema } from './config-shape.ts';
export { describeConfig } from './describe-config.ts';
export type { Environment } from './expand-variables.ts';
export { INDEX_CACHE_DEFAULTS } from './index-cache-shape.ts';
export { INSIGHT_DEFAULTS } from './insight-shape.ts';
export { type LoadConfigOptions, loadConfig } from './load-config.ts';
export type { ConfigFlags } from './overrides.ts';
export { type ClientFile, type ClientServer, readClientFile } from './read-client-file.ts';
export { type HintsEntry, type HintsFile, readHints, readHintsFile } from './read-hints.ts';
