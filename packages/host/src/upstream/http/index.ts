export { countTokens } from './count-tokens.ts';
export { createHttpUpstream } from './create-http-upstream.ts';
export { guardFetch } from './guard-fetch.ts';
export {
  HTTP_TIMEOUTS,
  type HttpLimits,
  type HttpTimeouts,
  type HttpUpstreamOptions,
} from './http-upstream-options.ts';
export { type PassedRequest, passOn } from './pass-on.ts';
export { endpointUrl, isRedirect, isTooDeep, readJson, writeBody } from './post.ts';
export {
  MOST_REFUSAL_BYTES,
  quoteAnswer,
  redirectedError,
  refusedCredentials,
  refusedError,
  retryAfterMs,
} from './refused-error.ts';
export { type Asking, WrittenRequest, writeRequest } from './write-request.ts';
