import type { DialectName } from '../dialect.ts';
import type { RetrySettings } from '../internal/retry.ts';

/** Options of `createHttpUpstream`. */
export interface HttpUpstreamOptions<D extends DialectName> {
  readonly dialect: D;
  /** The address of the API. @default the dialect's own host */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Sent with every request; clients can't override them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client's own credential goes upstream if `apiKey` is not set. @default false */
  readonly forwardsAuthorization?: boolean;
  /** @default the global fetch, which itself gives up after 5 minutes without headers or without a byte */
  readonly fetch?: typeof fetch;
  readonly timeouts?: HttpTimeouts;
  readonly retries?: RetrySettings;
  readonly limits?: HttpLimits;
}

/** How long an upstream may take, in milliseconds. */
export interface HttpTimeouts {
  /** Until the headers of a stream arrive. @default 300_000 */
  readonly connectMs?: number;
  /** Between two chunks of a stream. @default 300_000 */
  readonly idleMs?: number;
  /** Until a whole response has arrived. @default 600_000 */
  readonly wholeMs?: number;
}

/** How large the responses of an upstream may be. */
export interface HttpLimits {
  /** How long one event of a stream may be, in characters. @default 32 Mi */
  readonly maxEventLength?: number;
  /** How large a whole response may be. @default 128 MiB */
  readonly maxBodyBytes?: number;
}

/** The default time limits. */
export const HTTP_TIMEOUTS: Required<HttpTimeouts> = { connectMs: 300_000, idleMs: 300_000, wholeMs: 600_000 };
/** The default size limits. */
export const HTTP_LIMITS: Required<HttpLimits> = {
  maxEventLength: 32 * 1024 * 1024,
  maxBodyBytes: 128 * 1024 * 1024,
};
