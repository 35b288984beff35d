/** What signals come from: the process, or a stand-in. */
export interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

type StopSignal = (typeof STOP_SIGNALS)[number];

export interface StopWatchOptions {
  /** The first signal: finish and end. */
  readonly onStop: (signal: StopSignal) => void;
  /** A later one: end at once. */
  readonly onForce: (signal: StopSignal) => void;
  /** @default the process */
  readonly source?: SignalSource;
  /** Milliseconds. @default the system's clock */
  readonly now?: () => number;
}

/** SIGHUP is a terminal that was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals this soon after the first are the same wish: Ctrl+C reaches us from the terminal, and again through npm. */
const SAME_WISH_MS = 1_000;

/** Listens for the wish to stop. Gives a function that listens no more. */
export function watchStopSignals(options: StopWatchOptions): () => void {
  const { onStop, onForce, source = process, now = Date.now } = options;
  let stoppedAt: number | undefined;
  const listen = (signal: StopSignal): void => {
    if (stoppedAt === undefined) {
      stoppedAt = now();
      onStop(signal);
    } else if (now() - stoppedAt >= SAME_WISH_MS) {
      onForce(signal);
    }
  };
  for (const signal of STOP_SIGNALS) source.on(signal, listen);
  return () => {
    for (const signal of STOP_SIGNALS) source.off(signal, listen);
  };
}
