import type { StepMeter } from './step-meter.ts';

/** Lets other work run before it resolves. */
export type Pause = () => Promise<void>;

export interface SliceClockOptions {
  /** Steps for the whole of the work. */
  readonly budget: number;
  /** Steps between two pauses. */
  readonly sliceSteps: number;
  readonly pause: Pause;
  readonly signal?: AbortSignal | undefined;
  /** What to throw when the budget is spent. */
  readonly outOfBudget: () => Error;
}

/** Deals out a budget slice by slice, with a pause between. Steps are counted, not time, so that runs repeat exactly. */
export interface SliceClock {
  readonly meter: StepMeter;
  /** To be called once the meter is spent: pauses, then fills it again. */
  renew(): Promise<void>;
  /** Takes steps off the slice only: for work that has a bound of its own. */
  lend(steps: number): void;
}

export function sliceClock({ budget, sliceSteps, pause, signal, outOfBudget }: SliceClockOptions): SliceClock {
  let left = budget;
  let granted = Math.min(sliceSteps, left);
  const meter: StepMeter = { left: granted };
  return {
    meter,
    async renew() {
      left -= granted - meter.left;
      if (left <= 0) throw outOfBudget();
      await pause();
      signal?.throwIfAborted();
      granted = Math.min(sliceSteps, left);
      meter.left = granted;
    },
    lend(steps) {
      granted -= steps;
      meter.left -= steps;
    },
  };
}

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
