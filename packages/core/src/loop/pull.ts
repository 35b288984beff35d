import { untilAborted } from '../until-aborted.ts';

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
