import { LONGEST_TIMER_MS } from './longest-timer.ts';

export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Calls it off, which lets the process end. */
  clear(): void;
}

/** Not `AbortSignal.timeout`, which keeps no process alive: what has a deadline may be all that there is to wait for. */
export function createDeadline(timeoutMs: number): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
  return { signal: late.signal, clear: () => clearTimeout(timer) };
}
