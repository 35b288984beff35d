import { isJsonObject } from '@quartermaster/core';
import type { Clock } from '../clock.ts';
import { retryAfterMs } from '../http/index.ts';
import { UpstreamError, type UpstreamErrorDetails } from '../upstream-error.ts';

/**
 * What a provider package threw, as an error of the upstream's. Told by shape, not by class: several copies of the package that
 * defines the classes may be installed, or none.
 */
export function modelError(error: unknown, provider: string, clock: Clock): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const reason = error instanceof Error ? error.message : textOf(error);
  const name = error instanceof Error ? error.name : '';
  const details = (code: UpstreamErrorDetails['code'], rest: Partial<UpstreamErrorDetails> = {}): UpstreamError =>
    new UpstreamError({ code, message: `${provider} failed: ${reason}`, cause: error, ...rest });
  if (name === 'AI_APICallError') return refused(error as Error & ApiCallFields, details, clock);
  if (REFUSED_REQUESTS.has(name)) return details('unsupported');
  if (name === 'AI_LoadAPIKeyError') return details('refused', { status: 401 });
  if (isJsonObject(error) && typeof error.type === 'string') return details('refused', { body: error });
  return details(MALFORMED.has(name) ? 'malformed' : 'unreachable');
}

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
  const headers = new Headers(error.responseHeaders);
  return details(status === undefined ? 'unreachable' : 'refused', {
    status,
    body: responseBody === undefined ? undefined : parsed(responseBody),
    requestId: headers.get('request-id') ?? headers.get('x-request-id') ?? undefined,
    shouldRetry: isRetryable,
    retryAfterMs: retryAfterMs(headers, clock),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (isJsonObject(error) && typeof error.message === 'string') return error.message;
  return JSON.stringify(error)?.slice(0, 500) ?? String(error);
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
