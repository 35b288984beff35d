export { ApiError, toApiError } from './api-error.ts';
export { anthropicError, anthropicErrorBody, openaiErrorBody } from './error-bodies.ts';
export { readBytes } from './read-bytes.ts';
export { createReception, type Reception } from './reception.ts';
export type { Visit } from './visit.ts';
