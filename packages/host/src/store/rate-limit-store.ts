import { encodeName, numberOf } from './internal/columns.ts';
import type { StoreContext } from './internal/store-context.ts';
import { StoreError } from './store-error.ts';

/** Rate limits that all replicas share. */
export interface RateLimitStore {
  /**
   * Takes part of a limit, if there is room. Replicas that ask at the same moment are never granted more than the limit.
   * A cost of 0 takes nothing and is granted while anything is left.
   */
  take(request: RateRequest): Promise<RateAnswer>;
  /** Counts what has already been used, over the limit or not: a model's tokens are known only afterwards. */
  charge(charge: Omit<RateRequest, 'limit'>): Promise<void>;
  /** Counts use in a period with a fixed start and end, such as a day. */
  spend(use: BudgetUse): Promise<void>;
  /** How much was counted in such a period. */
  spent(period: Omit<BudgetUse, 'cost' | 'endsAt'>): Promise<number>;
  /** Deletes counters that no longer matter. */
  sweep(): Promise<void>;
}

/** What a request would use of a limit. */
export interface RateRequest {
  /** What is limited, for example `key_1/requests`. */
  readonly bucket: string;
  /** The limit of any window. 0 grants nothing. */
  readonly limit: number;
  readonly windowMs: number;
  /** A whole number, 0 or more. */
  readonly cost: number;
}

/** What a request has used of a budget. */
export interface BudgetUse {
  /** What is limited, for example `key_1/day`. */
  readonly bucket: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When it no longer matters. */
  readonly endsAt: number;
  /** A whole number, 0 or more. */
  readonly cost: number;
}

/** Whether a request is within its limit. */
export type RateAnswer =
  | { readonly kind: 'granted'; readonly remaining: number }
  /** When to ask again; even then others may have been faster. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/**
 * A sliding window over two fixed ones: the previous window's use counts by the share that the sliding window covers.
 * `estimate = used(current) + used(previous) × (1 − elapsed / windowMs)`
 * The previous window is over and no longer changes, so it limits the current one by a plain number, and the test and the
 * increment are one statement.
 */
export function createRateLimitStore({ sql, now }: StoreContext): RateLimitStore {
  async function add(
    { bucket, startedAt, endsAt, cost }: BudgetUse,
    most = Number.MAX_SAFE_INTEGER,
  ): Promise<number | undefined> {
    const [row] = await sql.all(
      `INSERT INTO rate_windows (bucket, started_at, used, forgotten_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (bucket, started_at) DO UPDATE SET used = rate_windows.used + excluded.used
         WHERE rate_windows.used + excluded.used <= ?
       RETURNING used`,
      [encodeName(bucket, 'bucket of a rate limit'), startedAt, cost, endsAt, most],
    );
    return row === undefined ? undefined : numberOf(row, 'used');
  }

  async function usedIn(
    bucket: string,
    windows: readonly [current: number, previous: number],
  ): Promise<[number, number]> {
    const rows = await sql.all('SELECT started_at, used FROM rate_windows WHERE bucket = ? AND started_at IN (?, ?)', [
      encodeName(bucket, 'bucket of a rate limit'),
      ...windows,
    ]);
    const used = new Map(rows.map((row) => [numberOf(row, 'started_at'), numberOf(row, 'used')]));
    return [used.get(windows[0]) ?? 0, used.get(windows[1]) ?? 0];
  }

  return {
    async take(request) {
      check(request);
      const { bucket, limit, windowMs, cost } = request;
      const at = now();
      const start = windowStart(at, windowMs);
      const [current, previous] = await usedIn(bucket, [start, start - windowMs]);
      const room = limit - Math.ceil((previous * (start + windowMs - at)) / windowMs);
      if (current + Math.max(cost, 1) > room) {
        return { kind: 'refused', retryAfterMs: waitFor({ ...request, current, previous, at, start }) };
      }
      const used = cost === 0 ? current : await add(windowAt(start, request), room);
      if (used !== undefined) return { kind: 'granted', remaining: room - used };
      // Since the check, others have taken the rest, in the worst case all of it.
      return { kind: 'refused', retryAfterMs: waitFor({ ...request, current: room, previous, at, start }) };
    },

    async charge(request) {
      check(request);
      if (request.cost === 0) return;
      await add(windowAt(windowStart(now(), request.windowMs), request));
    },

    async spend(use) {
      check({ cost: use.cost, windowMs: use.endsAt - use.startedAt });
      await add(use);
    },

    async spent({ bucket, startedAt }) {
      const [used] = await usedIn(bucket, [startedAt, startedAt]);
      return used;
    },

    async sweep() {
      await sql.run('DELETE FROM rate_windows WHERE forgotten_at <= ?', [now()]);
    },
  };
}

interface Refusal extends RateRequest {
  readonly current: number;
  readonly previous: number;
  readonly at: number;
  readonly start: number;
}

/**
 * How long until the estimate leaves room, if nothing else is used. In this window the previous one's share has to fall
 * to what the current use leaves; failing that, in the next window the current one's share has to.
 */
function waitFor({ limit, windowMs, cost, current, previous, at, start }: Refusal): number {
  const left = limit - Math.max(cost, 1);
  const end = start + windowMs;
  if (left < 0) return end + windowMs - at;
  const isNow = current <= left;
  const [fading, space, fadedAt] = isNow ? [previous, left - current, end] : [current, left, end + windowMs];
  const early = fading <= space ? windowMs : Math.floor((space * windowMs) / fading);
  return Math.max(1, fadedAt - early - at);
}

/** The use of one fixed window. It also counts in the next one. */
function windowAt(startedAt: number, { bucket, windowMs, cost }: Omit<RateRequest, 'limit'>): BudgetUse {
  return { bucket, startedAt, endsAt: startedAt + 2 * windowMs, cost };
}

function windowStart(at: number, windowMs: number): number {
  return at - (at % windowMs);
}

function check({ cost, windowMs }: Pick<RateRequest, 'cost' | 'windowMs'>): void {
  const isWhole = Number.isSafeInteger(cost) && cost >= 0 && Number.isSafeInteger(windowMs) && windowMs > 0;
  if (isWhole) return;
  throw new StoreError(
    'invalid_value',
    `A cost of ${cost} in ${windowMs} ms can't be counted; both must be whole numbers`,
  );
}
