export { createGatewayMetrics, type GatewayMetrics } from './gateway-metrics.ts';
