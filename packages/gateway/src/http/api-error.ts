import { QuartermasterError } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { StoreError } from '@quartermaster/host/store';
import { statusOfType, typeOfStatus, UpstreamError } from '@quartermaster/host/upstream';
import { UpstreamEventError } from '@quartermaster/wires/anthropic';
import { isStoreError } from './fault-of.ts';

/** An error response in the format of the Messages API; other dialects put it into their own envelope. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly type: string;
  /** Machine-readable facts: `error_code` and what belongs to it. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The error's type and name at a host of OpenAI's dialects, which its clients check. */
  readonly hostType: string | undefined;
  readonly code: string | undefined;
  /** The part of the request that such a host rejects. */
  readonly param: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.type = options.type ?? typeOfStatus(status);
    this.details = options.details;
    this.hostType = options.hostType;
    this.code = options.code;
    this.param = options.param;
    this.headers = options.headers ?? {};
  }
}

/** The type is the API's for the status, unless it is given. */
interface ApiErrorOptions
  extends Partial<Pick<ApiError, 'type' | 'details' | 'hostType' | 'code' | 'param' | 'headers'>> {
  readonly cause?: unknown;
}

/** Anything thrown, as an answer. The client sees only what is meant for it; the rest is an internal error. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UpstreamEventError) {
    const { type, message, details } = error.body;
    const status = statusOfType(type);
    return new ApiError(status, message, { type, cause: error, ...(isJsonObject(details) ? { details } : {}) });
  }
  if (error instanceof UpstreamError) return fromUpstream(error);
  if (error instanceof QuartermasterError) {
    const { parameter, status, details } = error.context;
    const named = typeof parameter === 'string' ? { param: parameter, code: error.code } : {};
    return new ApiError(status === 404 ? status : 400, error.message, {
      ...named,
      ...(isJsonObject(details) ? { details } : {}),
      cause: error,
    });
  }
  if (isStoreError(error)) return fromStore(error);
  // The engine's own limit on nesting: the value is the client's, not a fault of ours.
  if (error instanceof RangeError && error.message.includes('call stack')) {
    return new ApiError(400, 'The request is nested too deeply', { cause: error });
  }
  return new ApiError(500, 'Internal error', { cause: error });
}

/** A name or id that can't be stored is the request's fault. If the store is unavailable or full, the request can be repeated. */
function fromStore(error: StoreError): ApiError {
  if (error.code === 'invalid_value') return new ApiError(400, error.message, { cause: error });
  const waitSeconds = STORE_WAIT_SECONDS[error.code];
  if (waitSeconds === undefined) return new ApiError(500, 'Internal error', { cause: error });
  return new ApiError(error.code === 'full' ? 507 : 503, `${error.message}; try again in ${waitSeconds} s`, {
    details: { error_code: `store_${error.code}` },
    headers: { 'retry-after': String(waitSeconds), 'x-should-retry': 'true' },
    cause: error,
  });
}

const STORE_WAIT_SECONDS: Readonly<Partial<Record<StoreError['code'], number>>> = { unavailable: 1, full: 30 };

/** As the upstream itself would have answered. */
function fromUpstream(error: UpstreamError): ApiError {
  // A client that gets a 401 would look for the mistake in its own key.
  if (error.refusesUs) return refusedKey(error);
  const { status, type, body, message } = error;
  const told = errorIn(body);
  return new ApiError(status, typeof told.message === 'string' && told.message !== '' ? told.message : message, {
    type,
    ...(isJsonObject(told.details) ? { details: told.details } : {}),
    ...{ hostType: typeIn(told), code: shortText(told.code), param: shortText(told.param) },
    headers: { ...error.limitHeaders, ...retryHeaders(error) },
    cause: error,
  });
}

function refusedKey(cause: Error): ApiError {
  return new ApiError(502, "The model's host rejected this gateway's key; its operator has to set a new one", {
    details: { error_code: 'upstream_credentials' },
    headers: { 'x-should-retry': 'false' },
    cause,
  });
}

/** The envelopes of all dialects contain the error; an event of the Responses API is the error itself. */
function errorIn(body: unknown): JsonObject {
  if (!isJsonObject(body)) return {};
  if (isJsonObject(body.error)) return body.error;
  return body.type === 'error' ? body : {};
}

/** An event of the Responses API has the type of events. */
function typeIn({ type }: JsonObject): string | undefined {
  return type === 'error' ? undefined : shortText(type);
}

/** Names used by hosts. A longer text is not a name, and half of it would be another one. */
const MOST_CHARACTERS = 256;

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS ? value : undefined;
}

/** The upstream says when to retry. What was retried here must not be retried by the client on top of it. */
function retryHeaders({ isRetryable, retryAfterMs, wasRetried }: UpstreamError): Record<string, string> {
  return {
    'x-should-retry': String(isRetryable && !wasRetried),
    ...(retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) }),
  };
}
