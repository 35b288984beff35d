export { type Api, createApi } from './api.ts';
export { type JsonHandler, jsonRoutes, type RoutedRequest } from './json-routes.ts';
export { writeOpenApi } from './open-api.ts';
