export { mountBatchRoutes } from './batch-routes.ts';
export { mountCatalogRoutes } from './catalog-routes.ts';
export { mountConsoleRoutes } from './console-routes.ts';
export { mountInsightRoutes } from './insight-routes.ts';
export { mountMcpRoutes } from './mcp-routes.ts';
export { mountModelRoutes } from './model-routes.ts';
export { mountSearchRoutes } from './search-routes.ts';
export type { McpServices, Services } from './services.ts';
export { mountStatusRoutes } from './status-routes.ts';
