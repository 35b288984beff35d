/** The longest time that a timer can wait for, about 24 days. A longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

export interface Deadline {
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
  /** Cancels it, so that the process can exit. */
  clear(): void;
}

/** Not `AbortSignal.timeout`, which does not keep the process alive: the deadline may be all that is left to wait for. */
export function createDeadline(timeoutMs: number): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
  return { signal: late.signal, clear: () => clearTimeout(timer) };
}
