export { countTokens } from './count-tokens.ts';
export { createHttpUpstream } from './create-http-upstream.ts';
export { ENDPOINTS } from './endpoints.ts';
export type { HttpLimits, HttpTimeouts, HttpUpstreamOptions } from './http-upstream-options.ts';
export { HTTP_LIMITS, HTTP_TIMEOUTS } from './http-upstream-options.ts';
export { endpointUrl } from './post.ts';
export { readJson } from './read-json-body.ts';
export { redirectedError, refusedError, retryAfterMs } from './refused-error.ts';
