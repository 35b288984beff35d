export { type Api, createApi, type Operation } from './api.ts';
export { existing, type JsonHandler, jsonRoutes, needing, type RoutedRequest } from './json-routes.ts';
export { writeOpenApi } from './open-api.ts';
