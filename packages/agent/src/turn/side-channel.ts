import type { SDKMessage } from '../sdk-message.ts';

/** Passes the messages of subagents to the query that they run in. */
export interface SideChannel {
  push(message: SDKMessage): void;
  /** Yields pushed messages until the work is done, whether it succeeds or fails. `push` never waits. */
  during(work: Promise<unknown>): AsyncGenerator<SDKMessage, void, undefined>;
}

export function createSideChannel(): SideChannel {
  let waiting: SDKMessage[] = [];
  let wake = (): void => {};
  return {
    push(message) {
      waiting.push(message);
      wake();
    },
    async *during(work) {
      let isDone = false;
      const end = (): void => {
        isDone = true;
        wake();
      };
      work.then(end, end);
      for (;;) {
        const taken = waiting;
        waiting = [];
        yield* taken;
        if (waiting.length > 0) continue;
        if (isDone) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
