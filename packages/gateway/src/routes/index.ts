export { mountRoutes } from './mount-routes.ts';
export type { McpServices, Services } from './services.ts';
