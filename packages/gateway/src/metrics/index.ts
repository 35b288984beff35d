export { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.ts';
export { addProcessMetrics } from './process-metrics.ts';
