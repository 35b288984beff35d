export { ApiError, toApiError } from './api-error.ts';
export { releaseBodyMemory } from './body-memory.ts';
export { clientHeaders } from './client-headers.ts';
export {
  anthropicErrorBody,
  errorBodyFor,
  openaiErrorBody,
} from './error-bodies.ts';
export { faultOf, originOf } from './fault-of.ts';
export { noteIncoming } from './incoming.ts';
export { isStoreError } from './is-store-error.ts';
export { nodeFetch } from './node-fetch.ts';
export { readBytes } from './read-bytes.ts';
export type { RequestContext } from './request-context.ts';
export { createRequestRunner, type RequestRunner } from './request-runner.ts';
export { responseOf } from './response-of.ts';
export { sendRequest } from './send-request.ts';
export { streamText } from './stream-text.ts';
