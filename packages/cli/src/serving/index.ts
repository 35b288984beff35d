export { serveGateway } from './serve-gateway.ts';
export { serveMcp } from './serve-mcp.ts';
