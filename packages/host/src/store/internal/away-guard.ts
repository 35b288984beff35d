import { setImmediate } from 'node:timers/promises';

/** How long an unreachable database is left alone before one caller tries again. */
const PAUSE_MS = 500;

/**
 * Prevents a queue in front of an unreachable database. After a failure to reach it one caller at a time tries again; the others
 * are rejected at once, for the same reason.
 */
export function createAwayGuard(options: {
  readonly now: () => number;
  /** Whether an error means that the database is unreachable, and not just that one statement failed. */
  isAway(error: unknown): boolean;
}): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const { now, isAway } = options;
  let away: { readonly reason: unknown; readonly retryAt: number } | undefined;
  let isTrying = false;

  return async (work) => {
    const isTrial = away !== undefined;
    if (away !== undefined && (isTrying || now() < away.retryAt)) {
      const { reason } = away;
      // A caller that retries at once must not keep the event loop from noticing that the database is back.
      await setImmediate();
      throw reason;
    }
    if (isTrial) isTrying = true;
    try {
      const result = await work();
      away = undefined;
      return result;
    } catch (error) {
      away = isAway(error) ? { reason: error, retryAt: now() + PAUSE_MS } : undefined;
      throw error;
    } finally {
      if (isTrial) isTrying = false;
    }
  };
}
