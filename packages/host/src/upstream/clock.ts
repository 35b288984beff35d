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
