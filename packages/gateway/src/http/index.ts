export { nodeFetch, responseOf, sendRequest } from '../serve.ts';
export { ApiError, toApiError } from './api-error.ts';
export { anthropicErrorBody, openaiErrorBody, sharedErrorBody } from './error-bodies.ts';
export { faultOf, isStoreError, originOf } from './fault-of.ts';
export { readFormField } from './form-field.ts';
export { hasMoreValues, refuseManyParsed, refuseManyValues } from './json-values.ts';
export {
  createHistoryMeter,
  createRequestMemory,
  type MemoryShare,
  noteIncoming,
  parseJson,
  type ReadableRequest,
  readBytes,
  releaseBodyMemory,
} from './read-bytes.ts';
export {
  chargeUse,
  clientHeaders,
  createRequestRunner,
  type ErrorBody,
  isEventStream,
  type RequestContext,
  type RequestFacts,
  type RequestRunner,
  type Route,
  randomId,
  withRequestId,
} from './request-runner.ts';
export { encodedStream, streamList, streamText } from './stream-text.ts';
