export { permissionsOf } from './key-permissions.ts';
export { createMcpEvents, type McpEvents } from './mcp-events.ts';
export { ALL_SERVERS, createServerCatalogs, type ServerCatalog, type ServerCatalogs } from './server-catalogs.ts';
