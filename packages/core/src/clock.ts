/** Time, passed in so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs something once after a delay. The returned function cancels it. */
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

/** The real clock for background work: a pending timer does not keep a Node process alive. */
export const BACKGROUND_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer: unknown = setTimeout(run, delayMs);
    (timer as { readonly unref?: () => void }).unref?.();
    return () => clearTimeout(timer as number);
  },
};

/**
 * Waits for work as long as its caller does: settles with the work, or rejects with the signal's reason once that aborts. The work
 * may ignore the signal, or continue for others. Leaves no listener behind.
 */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    work.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** How long work is waited for. */
interface Patience {
  readonly timeoutMs: number;
  readonly after: Clock['after'];
  readonly signal?: AbortSignal | undefined;
}

/** Waits for work until it takes too long, and then for what is given instead. Late work continues. */
export async function withTimeout<Value, Late>(
  work: PromiseLike<Value>,
  { timeoutMs, after, signal }: Patience,
  late: () => Late | Promise<Late>,
): Promise<Value | Late> {
  let cancel = (): void => undefined;
  const instead = new Promise<Late>((resolve) => {
    cancel = after(timeoutMs, () => resolve(late()));
  });
  try {
    return await untilAborted(Promise.race([work, instead]), signal);
  } finally {
    cancel();
  }
}

/** Waits. Rejects with the signal's reason as soon as that aborts. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** Does something again and again, each time so long after the last one has ended. It must not fail. Returns what stops it. */
export function every(clock: Pick<Clock, 'after'>, delayMs: number, work: () => void | Promise<void>): () => void {
  let isOver = false;
  let cancel: () => void = () => undefined;
  const again = (): void => {
    if (isOver) return;
    cancel = clock.after(delayMs, () => {
      const done = work();
      if (done === undefined) again();
      else void done.then(again);
    });
  };
  again();
  return () => {
    isOver = true;
    cancel();
  };
}
