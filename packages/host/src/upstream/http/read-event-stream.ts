import { UpstreamError } from '../upstream-error.ts';

/** One server-sent event. */
export interface StreamEvent {
  /** Of its `event:` line, or empty. */
  readonly name: string;
  readonly data: string;
}

export interface ReadEventOptions {
  /** How long one event may be, in characters: a stream that never ends its event must not fill the memory. */
  readonly maxEventLength: number;
  /** Called with every chunk: the upstream is alive. */
  readonly onChunk?: () => void;
}

/**
 * The events of a body, each as soon as the blank line after it is there. Every character is looked at once, however the
 * chunks fall. Stopping early closes the connection instead of draining it.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  options: ReadEventOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = createLineReader(options.maxEventLength);
  const events = createEventReader(options.maxEventLength);
  let isDone = false;
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone = done;
      options.onChunk?.();
      for (const line of lines(decoder.decode(value, { stream: !done }), done)) {
        const event = events(line);
        if (event !== undefined) yield event;
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
function createLineReader(maxLength: number): (chunk: string, isLast: boolean) => readonly string[] {
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
    if (rest.length > maxLength) throw tooLong(maxLength);
    if (isLast && rest !== '') lines.push(rest);
    return lines;
  };
}

/** Collects the lines of an event. Comments, ids and retry times are passed over. */
function createEventReader(maxLength: number): (line: string) => StreamEvent | undefined {
  let name = '';
  let data: string[] = [];
  let length = 0;
  return (line) => {
    if (line === '') {
      const event = data.length === 0 ? undefined : { name, data: data.join('\n') };
      name = '';
      data = [];
      length = 0;
      return event;
    }
    const [field, value] = splitField(line);
    if (field === 'event') name = value;
    if (field !== 'data') return undefined;
    length += value.length + 1;
    if (length > maxLength) throw tooLong(maxLength);
    data.push(value);
    return undefined;
  };
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

function tooLong(maxLength: number): UpstreamError {
  return new UpstreamError({
    code: 'malformed',
    message: `An event of the upstream's stream is longer than ${maxLength} characters`,
    shouldRetry: false,
  });
}
