import { untilAborted } from '../until-aborted.ts';

/**
 * An iterator over a generator that is told to stop by a signal. A generator's own `return()` waits behind a pending
 * `next()`; this one aborts first, so that the pending step ends and cleaning up can begin.
 */
export function cancellable<Value>(
  make: (signal: AbortSignal) => AsyncGenerator<Value, void, undefined>,
  outer?: AbortSignal,
): AsyncIterableIterator<Value> {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) forward();
  else outer?.addEventListener('abort', forward, { once: true });
  const release = (): void => outer?.removeEventListener('abort', forward);

  const generator = make(controller.signal);
  let isReturned = false;
  return {
    async next() {
      try {
        const result = await generator.next();
        if (result.done === true) release();
        return isReturned ? { done: true, value: undefined } : result;
      } catch (error) {
        release();
        if (isReturned) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      isReturned = true;
      release();
      controller.abort();
      await generator.return().catch(() => undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The values of a source, until the signal aborts: then the wait ends at once with the signal's reason, whatever the source
 * does. A source that ignores its signal can't hold up the one who reads it.
 */
export async function* pull<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const result = await untilAborted(iterator.next(), signal);
      if (result.done === true) {
        isDone = true;
        return;
      }
      yield result.value;
    }
  } catch (error) {
    isDone = !signal.aborted;
    throw error;
  } finally {
    // Not awaited: `return()` queues behind a `next()` that may never settle.
    if (!isDone) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
