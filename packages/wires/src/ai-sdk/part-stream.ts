/** The values of a stream, for platforms whose streams are not iterable. Stopping early cancels it. */
export async function* readParts<Part>(stream: ReadableStream<Part>): AsyncGenerator<Part, void, undefined> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!isDone) reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** A stream of the values, once the first of them is there; rejects where that fails. Read on demand, stopped when cancelled. */
export async function writeParts<Part>(parts: AsyncIterableIterator<Part>): Promise<ReadableStream<Part>> {
  let next: IteratorResult<Part> | undefined = await parts.next();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const result = next ?? (await parts.next());
        next = undefined;
        if (result.done === true) controller.close();
        else controller.enqueue(result.value);
      },
      async cancel() {
        await parts.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
