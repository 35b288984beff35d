export interface ReadEventsOptions {
  /** How long one event may be, in characters: a stream that never ends its event must not fill the memory. */
  readonly maxEventLength: number;
  /** What is thrown for an event that is longer: each caller has errors of its own. */
  tooLong(maxEventLength: number): Error;
  /** Called with every chunk: the upstream is alive. */
  onChunk?(): void;
}

/**
 * The data of each event of a body, as soon as the blank line after it is there. Comments, names, ids and retry times are passed
 * over. Every character is looked at once, however the chunks fall. Stopping early closes the connection instead of draining it.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadEventsOptions,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = createLineReader(options);
  const events = createEventReader(options);
  let isDone = false;
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone = done;
      options.onChunk?.();
      for (const line of lines(decoder.decode(value, { stream: !done }), done)) {
        const data = events(line);
        if (data !== undefined) yield data;
      }
    }
    // The blank line after the last event is sometimes left out.
    const last = events('');
    if (last !== undefined) yield last;
  } finally {
    if (!isDone) reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Splits chunks into lines that end in any of the three ways. */
function createLineReader(options: ReadEventsOptions): (chunk: string, isLast: boolean) => readonly string[] {
  let rest = '';
  let endsInReturn = false;
  return (chunk, isLast) => {
    const lines: string[] = [];
    const text = endsInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') endsInReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    rest += first;
    for (const other of others) {
      lines.push(rest);
      rest = other;
    }
    if (rest.length > options.maxEventLength) throw options.tooLong(options.maxEventLength);
    if (isLast && rest !== '') lines.push(rest);
    return lines;
  };
}

/** Collects the data of an event, which its blank line completes. */
function createEventReader(options: ReadEventsOptions): (line: string) => string | undefined {
  let data: string[] = [];
  let length = 0;
  return (line) => {
    if (line === '') {
      const event = data.length === 0 ? undefined : data.join('\n');
      data = [];
      length = 0;
      return event;
    }
    const value = dataOf(line);
    if (value === undefined) return undefined;
    length += value.length + 1;
    if (length > options.maxEventLength) throw options.tooLong(options.maxEventLength);
    data.push(value);
    return undefined;
  };
}

/** One space after the colon belongs to the format. A field without a colon is there, and empty. */
function dataOf(line: string): string | undefined {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return undefined;
  return line.slice(line.startsWith('data: ') ? 6 : 5);
}
