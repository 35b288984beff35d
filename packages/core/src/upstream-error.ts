import { QuartermasterError } from './errors.ts';

/** Why an upstream gave no answer. */
export type UpstreamErrorCode =
  /** The upstream answered with an error. */
  | 'refused'
  /** No connection, or it broke. */
  | 'unreachable'
  /** Nothing came within the time allowed. */
  | 'timed_out'
  /** The stream ended before the response did. */
  | 'cut_off'
  /** The answer does not fit the protocol, or is larger than allowed. */
  | 'malformed'
  /** The request contains something that this upstream does not support. */
  | 'unsupported';

/** What is known about a failed request. */
export interface UpstreamErrorDetails {
  readonly code: UpstreamErrorCode;
  readonly message: string;
  /** The HTTP status that fits best: the upstream's own if it sent one. @default by code */
  readonly status?: number | undefined;
  /** In the words of the Messages API: `rate_limit_error`. @default by status */
  readonly type?: string | undefined;
  /** The error's body as the upstream sent it. */
  readonly body?: unknown;
  readonly requestId?: string | undefined;
  /** What it said in `x-should-retry`, or what an SDK says of it. @default by status; false for `malformed` */
  readonly shouldRetry?: boolean | undefined;
  /** How long it asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Whether it refused the credentials of the settings, which no client can do anything about. @default false */
  readonly refusesUs?: boolean;
  /** What it said of its limits, by header. @default nothing */
  readonly limitHeaders?: Readonly<Record<string, string>> | undefined;
  /** Other facts of the case. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An upstream that failed, in one shape whatever its protocol: enough to answer the client as the upstream itself would. */
export class UpstreamError extends QuartermasterError {
  override readonly name: string = 'UpstreamError';
  declare readonly code: UpstreamErrorCode;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
  readonly requestId: string | undefined;
  /** Whether asking again may help. */
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether it refused the credentials of the settings. What it said then may quote them, and is not kept. */
  readonly refusesUs: boolean;
  readonly limitHeaders: Readonly<Record<string, string>>;
  /** Whether it was asked again already, as often as is allowed: a client that repeats the request would multiply that. */
  wasRetried: boolean = false;

  constructor(details: UpstreamErrorDetails) {
    super(details.code, details.message, details);
    this.status = details.status ?? STATUS_BY_CODE[details.code];
    this.type = details.type ?? typeOfStatus(this.status);
    this.body = details.body;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.refusesUs = details.refusesUs ?? false;
    this.limitHeaders = details.limitHeaders ?? {};
    // An answer that can't be read was given, and paid for; asked again, the host gives another of its kind.
    this.isRetryable = details.shouldRetry ?? (details.code !== 'malformed' && isRetryableStatus(this.status));
  }
}

/** The error for an answer that can't be read. */
export function malformed(message: string, more: Pick<UpstreamErrorDetails, 'cause' | 'context'> = {}): UpstreamError {
  return new UpstreamError({ code: 'malformed', message, ...more });
}

/** The type that the Messages API gives an error of this status. */
export function typeOfStatus(status: number): string {
  return TYPES.find(([known]) => known === status)?.[1] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** The status of an error inside a stream that has none. */
export function statusOfType(type: string): number {
  return TYPES.find(([, known]) => known === type)?.[0] ?? 500;
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

const STATUS_BY_CODE: Readonly<Record<UpstreamErrorCode, number>> = {
  refused: 500,
  unreachable: 502,
  timed_out: 504,
  cut_off: 502,
  malformed: 502,
  unsupported: 400,
};

const TYPES: readonly (readonly [number, string])[] = [
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
];

/**
 * The innermost reason of an error. `fetch` always says "fetch failed" and has the reason as its cause; if several addresses were
 * tried, that cause has no message of its own but one for each.
 */
export function deepestReason(error: unknown): string {
  let [deepest, reason] = [error, ''];
  for (let depth = 0; depth < MOST_CAUSES && deepest instanceof Error; depth += 1) {
    reason = wordsOf(deepest) || reason;
    deepest = deepest instanceof AggregateError ? deepest.errors[0] : deepest.cause;
  }
  return reason || (error instanceof Error ? error.name : String(error));
}

function wordsOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return error.message || (typeof code === 'string' ? code : '');
}

/** Causes may be circular. */
const MOST_CAUSES = 10;
