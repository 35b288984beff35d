import type { Clock } from '@quartermaster/core/internal';

/** Aborted after a while, with the given reason. It need not be called off: by then there is nothing left to end, or it is late. */
export function signalIn(delayMs: number, clock: Clock, reason?: Error): AbortSignal {
  const late = new AbortController();
  clock.after(delayMs, () => late.abort(reason));
  return late.signal;
}
