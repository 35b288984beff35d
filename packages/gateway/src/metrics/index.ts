export { createGatewayMetrics, type GatewayMetrics, MCP_CATALOG } from './gateway-metrics.ts';
export { addProcessMetrics } from './process-metrics.ts';
export { Series } from './series.ts';
