export type { HttpLimits, HttpTimeouts, HttpUpstreamOptions } from './create-http-upstream.ts';
export { createHttpUpstream, endpointUrl, HTTP_LIMITS, HTTP_TIMEOUTS } from './create-http-upstream.ts';
export { ENDPOINTS } from './endpoints.ts';
export { readJson } from './read-json-body.ts';
export { refusedError, retryAfterMs } from './refused-error.ts';
