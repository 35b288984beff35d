import { isJsonObject } from '@quartermaster/core/catalog';
import { limitHeadersIn, UpstreamError, type UpstreamErrorDetails } from '@quartermaster/core/errors';
import { type Clock, cutText, tryParseJson } from '@quartermaster/core/internal';
import { hideCredentials } from '../http/hide-credentials.ts';
import {
  MOST_REFUSAL_BYTES,
  quoteAnswer,
  refusedCredentials,
  retryAfterMs,
  shouldRetryIn,
  withoutCredentials,
} from '../http/refused-error.ts';

/** How much of a package's message is quoted: some quote the whole answer that they could not read. */
const MOST_QUOTED = 500;

/**
 * Converts what a provider package threw to an upstream error. Recognised by shape, not by class: several copies of the package that
 * defines the classes may be installed, or none.
 */
export function modelError(
  error: unknown,
  provider: string,
  { clock, sent }: { clock: Clock /** Headers with credentials of ours. */; sent: Headers },
): UpstreamError {
  const own = ownErrorIn(error);
  if (own !== undefined) return own;
  const reason = cutText(quoteAnswer(hideCredentials(reasonIn(error), sent)), MOST_QUOTED);
  const name = error instanceof Error ? error.name : '';
  const details = (code: UpstreamErrorDetails['code'], rest: Partial<UpstreamErrorDetails> = {}): UpstreamError =>
    new UpstreamError({ code, message: `${provider} failed: ${reason}`, cause: error, ...rest });
  if (name === 'AI_APICallError') return refused(error as Error & ApiCallFields, details, clock);
  if (REFUSED_REQUESTS.has(name)) return details('unsupported');
  if (name === 'AI_LoadAPIKeyError') return details('refused', { status: 401, refusesUs: true });
  if (isJsonObject(error) && typeof error.type === 'string') {
    return error.type === 'authentication_error'
      ? refusedCredentials()
      : details('refused', { body: withoutCredentials(error, sent) });
  }
  return details(MALFORMED.has(name) ? 'malformed' : 'unreachable');
}

/** For an answer whose body it can't read, a package reports only the status text, which may be empty. */
function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error);
  if (error.message !== '') return error.message;
  const { responseBody = '', statusCode } = error as Error & ApiCallFields;
  if (responseBody.trim() !== '') return responseBody;
  return statusCode === undefined ? error.name : `status ${statusCode}`;
}

/** The error of our `fetch`, which packages wrap in their own errors. */
function ownErrorIn(error: unknown): UpstreamError | undefined {
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof UpstreamError) return current;
    current = current.cause;
  }
  return undefined;
}

/** Causes may be circular. */
const MOST_CAUSES = 10;

interface ApiCallFields {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly isRetryable?: boolean;
}

function refused(
  error: ApiCallFields,
  details: (code: UpstreamErrorDetails['code'], rest: Partial<UpstreamErrorDetails>) => UpstreamError,
  clock: Clock,
): UpstreamError {
  const { statusCode: status, responseBody, isRetryable } = error;
  // These packages never send a client's credentials.
  if (status === 401) return refusedCredentials();
  const headers = new Headers(error.responseHeaders);
  const isRefusal = status !== undefined && status >= 400;
  return details(isRefusal ? 'refused' : failureOf(error), {
    body: responseBody === undefined || responseBody.length > MOST_REFUSAL_BYTES ? undefined : parsed(responseBody),
    requestId: headers.get('request-id') ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers, clock),
    limitHeaders: limitHeadersIn(headers),
    ...(isRefusal || status === undefined ? { status, shouldRetry: shouldRetryIn(headers) ?? isRetryable } : {}),
  });
}

/** An answer with a success status that could not be read is retryable only if it was cut off in transit. */
function failureOf({ statusCode, isRetryable }: ApiCallFields): UpstreamErrorDetails['code'] {
  return statusCode === undefined || isRetryable === true ? 'unreachable' : 'malformed';
}

function parsed(text: string): unknown {
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (isJsonObject(error) && typeof error.message === 'string') return error.message;
  return JSON.stringify(error) ?? String(error);
}

const REFUSED_REQUESTS: ReadonlySet<string> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
]);
const MALFORMED: ReadonlySet<string> = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoContentGeneratedError',
]);
