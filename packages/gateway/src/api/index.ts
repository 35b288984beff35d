export { type Api, createApi } from './api.ts';
export { writeOpenApi } from './open-api.ts';
export { readJsonBody } from './read-json-body.ts';
