import type { Clock } from '@quartermaster/core/internal';

export interface ManualClock extends Clock {
  /** Every delay that was asked for, in order. */
  readonly delays: readonly number[];
  /** Runs what is due after at least this long. */
  pass(delayMs: number): void;
}

/** A clock that stands still until it is moved, except that delays below a limit are over at once. */
export function manualClock(options: { readonly instantBelowMs?: number; readonly nowMs?: number } = {}): ManualClock {
  const { instantBelowMs = 0, nowMs = 0 } = options;
  const delays: number[] = [];
  const timers = new Set<{ readonly delayMs: number; readonly run: () => void }>();
  return {
    delays,
    now: () => nowMs,
    after(delayMs, run) {
      delays.push(delayMs);
      const timer = { delayMs, run };
      timers.add(timer);
      if (delayMs < instantBelowMs) queueMicrotask(() => timers.delete(timer) && run());
      return () => timers.delete(timer);
    },
    pass(delayMs) {
      for (const timer of [...timers]) if (timer.delayMs <= delayMs && timers.delete(timer)) timer.run();
    },
  };
}
