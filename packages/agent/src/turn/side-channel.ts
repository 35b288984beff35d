import type { SDKMessage } from '../sdk-message.ts';

/** Carries the messages of subagents to the query that they run in. */
export interface SideChannel {
  push(message: SDKMessage): void;
  /** What is pushed until the work is done. Neither waits for its reader nor fails with the work. */
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
