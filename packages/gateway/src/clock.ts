import type { Clock } from '@quartermaster/host/upstream';

export type { Clock };

/** The real clock. What waits on it does not keep the process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
