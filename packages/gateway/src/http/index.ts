export { ApiError, type ApiErrorOptions, toApiError } from './api-error.ts';
export { anthropicError, anthropicErrorBody, openaiErrorBody } from './error-bodies.ts';
export { readBytes } from './read-bytes.ts';
export { createReception, type Handler, type Reception } from './reception.ts';
export type { Visit, VisitFacts } from './visit.ts';
