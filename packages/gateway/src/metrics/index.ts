export { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.ts';
export { MCP_CATALOG } from './never-found.ts';
export { addProcessMetrics } from './process-metrics.ts';
