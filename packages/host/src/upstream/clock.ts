import { UpstreamError } from '@quartermaster/core/errors';

/** Time, passed in so that waiting can be tested without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs something later. Gives a function that calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The real clock. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A signal that also aborts when something takes too long. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Begins the time for the next thing to happen; what was allowed before no longer counts. */
  allow(timeoutMs: number, what: string): void;
  /** Ends the watch. The signal aborts no more. */
  stop(): void;
}

export function createDeadline(clock: Clock, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer.reason);
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  let cancel: () => void = () => undefined;
  return {
    signal: controller.signal,
    allow(timeoutMs, what) {
      cancel();
      cancel = clock.after(timeoutMs, () => {
        const message = `The upstream sent ${what} in ${timeoutMs} ms: raise the timeout if it is known to be slow`;
        // A caller that has waited that long does not wait as long again.
        controller.abort(new UpstreamError({ code: 'timed_out', message, shouldRetry: false }));
      });
    },
    stop() {
      cancel();
      outer.removeEventListener('abort', forward);
    },
  };
}
