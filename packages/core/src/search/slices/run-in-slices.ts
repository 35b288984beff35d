/** How work yields to other work on the same thread. */
export interface SliceOptions {
  /** How long work runs before it pauses, in milliseconds; 0 pauses wherever it can. @default 4 */
  readonly sliceMs?: number;
  /** Milliseconds, from any start. Only pauses depend on it, never a result. @default performance.now */
  readonly now?: () => number;
  /** Lets other work run between two slices. @default a turn of the event loop */
  readonly pause?: Pause;
  /** Aborts the work, before it begins or at a pause, so that nothing keeps building for an owner that has closed. */
  readonly signal?: AbortSignal | undefined;
}

/** The default pause is not here: it is opened for each run, and closed after it. */
export const SLICE_DEFAULTS: Required<Pick<SliceOptions, 'sliceMs' | 'now'>> = {
  sliceMs: 4,
  now: () => performance.now(),
};

/**
 * Runs a generator that yields wherever it may be interrupted, and pauses there once a slice has lasted its time. What
 * lies between two yields is never interrupted, so that it should be short even before the runtime has optimised it.
 */
export async function runInSlices<Result>(steps: Generator<void, Result>, options: SliceOptions = {}): Promise<Result> {
  const { sliceMs, now } = { ...SLICE_DEFAULTS, ...options };
  options.signal?.throwIfAborted();
  const { pause, close } = options.pause === undefined ? macrotaskPause() : { pause: options.pause, close: undefined };
  try {
    let started = now();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (now() - started < sliceMs) continue;
      await pause();
      options.signal?.throwIfAborted();
      started = now();
    }
  } finally {
    close?.();
  }
}

/**
 * Goes through things numbered from 0 and yields between steps. A step is given the first number that is not done, does as
 * many as take well below a millisecond, and returns the next; the work goes into loops of plain functions, which run as
 * fast as without steps.
 */
export function* stepThrough(count: number, step: (first: number) => number): Generator<void, void> {
  for (let next = 0; next < count; ) {
    if (next > 0) yield;
    next = step(next);
  }
}

/** Lets other work run before it resolves. */
export type Pause = () => Promise<void>;

/**
 * A pause until the next turn of the event loop. `setImmediate` where the platform has it: Node answers a message to
 * itself within the same turn, so that a channel wouldn't let anything else in there.
 */
export function macrotaskPause(): { readonly pause: Pause; close(): void } {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  if (setImmediate !== undefined) return { pause: () => new Promise((resolve) => setImmediate(resolve)), close };
  if (typeof MessageChannel === 'undefined') {
    return { pause: () => new Promise((resolve) => setTimeout(resolve, 0)), close };
  }
  const { port1, port2 } = new MessageChannel();
  return {
    pause: () =>
      new Promise((resolve) => {
        port1.onmessage = () => resolve();
        port2.postMessage(undefined);
      }),
    close: () => port1.close(),
  };
}

function close(): void {
  // Timers hold nothing once they have fired.
}
