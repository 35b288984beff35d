import { LONGEST_TIMER_MS } from './longest-timer.ts';

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
