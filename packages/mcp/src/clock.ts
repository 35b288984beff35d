/** Time, passed in so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Runs once after a delay; the returned function calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The real one. A pending timer keeps no process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
