import type { Clock } from '@quartermaster/core/internal';

/** Aborts after a while, with the given reason. It does not have to be cancelled: by then nothing is left to end, or it is late. */
export function signalIn(delayMs: number, clock: Clock, reason?: Error): AbortSignal {
  const late = new AbortController();
  clock.after(delayMs, () => late.abort(reason));
  return late.signal;
}
