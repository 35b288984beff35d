/** Runs something once after a delay; the returned function calls it off. Passed in, so that tests need not wait. */
export type Timer = (delayMs: number, run: () => void) => () => void;

/** The real one. */
export const systemTimer: Timer = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
