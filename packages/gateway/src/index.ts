export { type Clock, SYSTEM_CLOCK } from './clock.ts';
export { configuredUpstreams } from './configured-upstreams.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export {
  CONNECTOR_DEFAULTS,
  GATEWAY_DEFAULTS,
  type GatewayOptions,
  type GatewaySettings,
  type GatewayStore,
  type McpOptions,
  SEARCH_DEFAULTS,
} from './gateway-options.ts';
export { gatewayOptionsFrom } from './gateway-options-from.ts';
export { describeReach, type ModelReach } from './insight/index.ts';
export { atLevel, createLineLogger, LOG_LEVELS, type LogEntry, type Logger, type LogLevel } from './logger.ts';
export { type RunningServer, SERVE_DEFAULTS, type ServeOptions, serve } from './serve.ts';
export { openTracing, type Tracing } from './tracing/index.ts';
export type { GatewayModel, GatewayUpstream, Upstreams } from './upstreams.ts';
