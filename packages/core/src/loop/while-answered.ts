/** How long a request has to leave before other work may hold up the thread: about what opening a connection takes. */
const HEAD_START_MS = 50;

/**
 * What comes of a request, with work that begins once the request has surely left: when something comes back, or before
 * where that takes its time. It doesn't begin where the request fails sooner.
 */
export async function* whileAnswered<Value>(
  answer: AsyncIterable<Value>,
  work: () => void,
): AsyncGenerator<Value, void, undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = (): void => {
    if (timer === undefined) return;
    cancel();
    work();
  };
  timer = setTimeout(begin, HEAD_START_MS);
  try {
    for await (const value of answer) {
      begin();
      yield value;
    }
  } finally {
    cancel();
  }
}
