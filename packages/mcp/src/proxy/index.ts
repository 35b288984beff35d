export { createProxy, PROXY_DEFAULTS, type ProxyGuard, type ProxyOptions } from './create-proxy.ts';
export type { AlwaysLoad } from './known-clients.ts';
export type { Access, ConnectOptions, McpProxy, ProxyConnection } from './mcp-proxy.ts';
export { type CompiledPermissions, compilePermissions, type Permissions } from './permissions.ts';
export { SESSION_DEFAULTS, type SessionLimits } from './serve-http.ts';
export { type ServeStdioOptions, serveStdio } from './serve-stdio.ts';
export { createServerStart, type ServerStart, type StartWaits } from './server-start.ts';
