import { untilAborted } from '@quartermaster/core/internal';

/** Several streams of prompts, one after the other. */
export interface Inputs<Item> {
  /** Everything in the streams. Ends when the last one has ended and none has been added. */
  items(signal: AbortSignal): AsyncGenerator<Item, void, undefined>;
  /** Adds a stream; resolves when it has ended. Rejects if the query has ended. */
  add(stream: AsyncIterable<Item>): Promise<void>;
  /** Accepts no further streams. */
  close(): void;
}

export function createInputs<Item>(first: AsyncIterable<Item>): Inputs<Item> {
  const streams: Stream<Item>[] = [{ source: first, settle: () => {} }];
  let isOver = false;
  const close = (): void => {
    isOver = true;
    for (const { settle } of streams.splice(0)) settle(new Error(UNTAKEN));
  };
  return {
    async *items(signal) {
      let current: Stream<Item> | undefined;
      try {
        for (current = streams.shift(); current !== undefined; current = streams.shift()) {
          yield* untilEnd(current.source, signal);
          current.settle();
        }
      } finally {
        current?.settle(new Error(UNTAKEN));
        close();
      }
    },
    add(source) {
      const taken = new Promise<void>((resolve, reject) => {
        if (isOver) reject(new Error('The query has ended: no further prompts are accepted'));
        else streams.push({ source, settle: (problem) => (problem === undefined ? resolve() : reject(problem)) });
      });
      // An unhandled rejection must not end the process if the caller does not wait.
      taken.catch(() => {});
      return taken;
    },
    close,
  };
}

const UNTAKEN = 'The query ended before all prompts were read';

interface Stream<Item> {
  readonly source: AsyncIterable<Item>;
  readonly settle: (problem?: Error) => void;
}

async function* untilEnd<Item>(
  stream: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  const source = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await untilAborted(source.next(), signal);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Not awaited: it may be stuck behind a step that never ends.
    Promise.resolve(source.return?.()).catch(() => undefined);
  }
}
