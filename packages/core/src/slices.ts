import { untilAborted } from './clock.ts';

/** Runs a generator through without stopping where it would pause, and gives what it returns. */
export function runToEnd<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

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

/** Calls a function with each item, and yields after some of them each. What it does with one should take some microseconds. */
export function* visitInSteps<Item>(items: readonly Item[], visit: (item: Item) => void): Generator<void, void> {
  yield* stepThrough(items.length, (first) => {
    const end = Math.min(first + ITEMS_PER_STEP, items.length);
    for (let at = first; at < end; at += 1) visit(items[at] as Item);
    return end;
  });
}

const ITEMS_PER_STEP = 256;

/** Lets other work run before it resolves. */
type Pause = () => Promise<void>;

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

interface SharedBuildOptions<Result> {
  /** Begins the build, with a yield wherever it may be interrupted. */
  readonly steps: () => Generator<void, Result>;
  /** Fetches what the build can start from, before it begins. */
  readonly load?: (() => Promise<void>) | undefined;
  /** How building gives way to other work. */
  readonly slices?: SliceOptions | undefined;
  /** What would be built, where it is there already. @default built when it is first asked for */
  readonly built?: Result | undefined;
}

/**
 * Something that takes long to build and is built when it is first asked for: once for all that wait for it, and kept. A
 * build that failed is not kept, so that the next caller starts another.
 */
export class SharedBuild<Result extends object> {
  /** What was built, for those who don't want to wait a turn for what is there; undefined before. Set here only. */
  built: Result | undefined;
  readonly #options: SharedBuildOptions<Result>;
  #building: Promise<Result> | undefined;

  constructor(options: SharedBuildOptions<Result>) {
    this.#options = options;
    this.built = options.built;
  }

  /** What is built. Once its signal aborts, a caller waits no longer; the build goes on for the others. */
  async wait(signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    return this.built ?? untilAborted(this.#build(), signal);
  }

  #build(): Promise<Result> {
    this.#building ??= this.#loadAndBuild()
      .then((built) => {
        this.built = built;
        return built;
      })
      .finally(() => {
        this.#building = undefined;
      });
    return this.#building;
  }

  async #loadAndBuild(): Promise<Result> {
    const { load, steps, slices } = this.#options;
    if (load !== undefined) await load();
    return runInSlices(steps(), slices);
  }
}
