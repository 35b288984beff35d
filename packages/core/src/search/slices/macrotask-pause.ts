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
