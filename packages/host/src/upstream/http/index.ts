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
export {
  type Asking,
  endpointUrl,
  isRedirect,
  isTooDeep,
  readJson,
  WrittenRequest,
  writeBody,
  writeRequest,
} from './post.ts';
export {
  MOST_REFUSAL_BYTES,
  quoteAnswer,
  redirectedError,
  refusedCredentials,
  refusedError,
  retryAfterMs,
  shouldRetryIn,
} from './refused-error.ts';
