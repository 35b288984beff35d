import { constants } from 'node:os';
import type { CommandIo } from '../../command-io.ts';

/** The source of signals: the process, or a test's stand-in. */
export interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

type StopSignal = (typeof STOP_SIGNALS)[number];

interface StopWatchOptions {
  /** The first signal: finish and end. */
  readonly onStop: (signal: StopSignal) => void;
  /** A later one: end at once. */
  readonly onForce: (signal: StopSignal) => void;
  /** What SIGHUP does, if it does not mean stop. @default it stops, as for a closed terminal */
  readonly onReload?: (() => void) | undefined;
  /** @default the process */
  readonly source?: SignalSource;
  /** Runs something after a delay, and after the signals that arrived in the meantime. Returns a function that cancels it. @default timers */
  readonly after?: (delayMs: number, run: () => void) => () => void;
  /** @default the process's parent, if npm started it */
  readonly parent?: ParentWatch | undefined;
}

/** How the loss of the parent is noticed. */
interface ParentWatch {
  id(): number;
  /** Repeats something; returns a function that ends it. */
  repeat(action: () => void): () => void;
}

/** SIGHUP means that the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals this soon after the first are the same request: Ctrl+C arrives from the terminal, and again through npm. */
const SAME_WISH_MS = 1_000;

/** Listens for stop signals. Returns a function that stops listening. */
export function watchStopSignals(options: StopWatchOptions): () => void {
  const { onStop, onForce, onReload, source = process, after = afterSignals, parent = npmParent() } = options;
  let state: 'serving' | 'stopping' | 'forcible' = 'serving';
  let cancel: () => void = () => undefined;
  const listen = (signal: StopSignal): void => {
    if (signal === 'SIGHUP' && onReload !== undefined) onReload();
    else if (state === 'serving') {
      state = 'stopping';
      cancel = after(SAME_WISH_MS, () => {
        state = 'forcible';
      });
      onStop(signal);
    } else if (state === 'forcible') {
      onForce(signal);
    }
  };
  for (const signal of STOP_SIGNALS) source.on(signal, listen);
  const release = parent === undefined ? undefined : watchParent(parent, () => listen('SIGTERM'));
  return () => {
    cancel();
    release?.();
    for (const signal of STOP_SIGNALS) source.off(signal, listen);
  };
}

/** A process that was busy all the while reads signals after its timers: they are read before `run` too. */
function afterSignals(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(() => setImmediate(run), delayMs).unref();
  return () => clearTimeout(timer);
}

/**
 * npm and npx start us through a shell, which a signal kills without passing it on. A new parent
 * is the only sign of that.
 */
function watchParent({ id, repeat }: ParentWatch, onLost: () => void): () => void {
  const first = id();
  const end = repeat(() => {
    if (id() === first) return;
    end();
    onLost();
  });
  return end;
}

function npmParent(): ParentWatch | undefined {
  if (process.env.npm_command === undefined) return undefined;
  return {
    id: () => process.ppid,
    repeat(action) {
      const timer = setInterval(action, LOOK_EVERY_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

const LOOK_EVERY_MS = 500;

interface StopWait {
  /** Resolves at the first signal. */
  readonly stopped: Promise<void>;
  /** Stops handling signals. */
  release(): void;
}

/** Waits for the first stop signal. After that, another one ends the process at once, with the status that shells use for it. */
export function waitForStop(io: Pick<CommandIo, 'stderr'>, notice: string, onReload?: () => void): StopWait {
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((done) => {
    resolve = done;
  });
  // Nothing can be printed to a closed terminal; just finish and stop.
  io.stderr.on('error', () => undefined);
  const release = watchStopSignals({
    onReload,
    onStop() {
      io.stderr.write(`${notice}\n`);
      resolve();
    },
    onForce(signal) {
      process.exit(128 + constants.signals[signal]);
    },
  });
  return { stopped, release };
}
