export { BACKGROUND_CLOCK as SYSTEM_CLOCK, type Clock } from '@quartermaster/core/internal';
export {
  configuredUpstreams,
  type GatewayModel,
  type GatewayUpstream,
  type Upstreams,
} from './configured-upstreams.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export type { GatewayOptions, GatewaySettings, GatewayStore, McpOptions } from './gateway-options.ts';
export { gatewayOptionsFrom } from './gateway-options-from.ts';
export { describeReach, type ModelReach } from './insight/index.ts';
export { limitHeapGrowth } from './limit-heap-growth.ts';
export { atLevel, createLineLogger, LOG_LEVELS, type LogEntry, type Logger, type LogLevel } from './logger.ts';
export { type RunningServer, type ServeOptions, serve } from './serve.ts';
export { openTracing, type Tracing } from './tracing/index.ts';
