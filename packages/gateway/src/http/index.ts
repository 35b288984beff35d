export { ApiError, toApiError } from './api-error.ts';
export { releaseBodyMemory } from './body-memory.ts';
export {
  anthropicErrorBody,
  errorBodyFor,
  openaiErrorBody,
} from './error-bodies.ts';
export { faultOf, isStoreError, originOf } from './fault-of.ts';
export { nodeFetch, sendRequest } from './node-fetch.ts';
export { noteIncoming, readBytes } from './read-bytes.ts';
export type { RequestContext } from './request-context.ts';
export { clientHeaders } from './request-context.ts';
export { createRequestRunner, type RequestRunner } from './request-runner.ts';
export { responseOf } from './response-of.ts';
export { streamText } from './stream-text.ts';
