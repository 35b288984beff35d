import { macrotaskPause } from '../../search/index.ts';

/** Adds work. Ignored if the same owner already has work waiting. Failures are not reported. */
export type Enqueue = (owner: object, work: () => Promise<void>) => void;

/** How much may wait. Beyond it the oldest is dropped: a search builds for itself what is not built yet. */
export const MOST_WAITING = 16;

/** Does one thing after the other, none of it before the next turn of the event loop. */
export function preparationQueue(): Enqueue {
  const waiting: { readonly owner: object; readonly work: () => Promise<void> }[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const { pause, close } = macrotaskPause();
    for (;;) {
      await pause();
      const next = waiting.shift();
      if (next === undefined) break;
      await next.work().catch(() => undefined);
    }
    close();
    isRunning = false;
  }

  return (owner, work) => {
    if (waiting.some((one) => one.owner === owner)) return;
    waiting.push({ owner, work });
    if (waiting.length > MOST_WAITING) waiting.shift();
    if (!isRunning) void run();
  };
}
