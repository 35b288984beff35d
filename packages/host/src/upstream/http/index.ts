export { countTokens } from './count-tokens.ts';
export { createHttpUpstream } from './create-http-upstream.ts';
export { guardFetch } from './guard-fetch.ts';
export type { HttpLimits, HttpTimeouts, HttpUpstreamOptions } from './http-upstream-options.ts';
export { HTTP_TIMEOUTS } from './http-upstream-options.ts';
export { type PassedRequest, passOn } from './pass-on.ts';
export { endpointUrl } from './post.ts';
export { quoteAnswer } from './quote-answer.ts';
export { readJson } from './read-json-body.ts';
export {
  isRedirect,
  MOST_REFUSAL_BYTES,
  redirectedError,
  refusedCredentials,
  refusedError,
  retryAfterMs,
} from './refused-error.ts';
export { isTooDeep, writeBody } from './write-body.ts';
