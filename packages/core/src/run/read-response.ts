export interface ReadEventsOptions {
  /** The longest event, in characters: a stream that never ends its event must not fill the memory. */
  readonly maxEventLength: number;
  /** The error for an event that is longer: each caller has its own. */
  tooLong(maxEventLength: number): Error;
  /** Called with every chunk: the upstream is alive. */
  onChunk?(): void;
}

/** One server-sent event. */
export interface ServerEvent {
  /** Its name; `message` if it has none. */
  readonly event: string;
  readonly data: string;
}

/**
 * The events of a body, each as soon as the blank line after it is there. Comments, ids and retry times are passed over. Every character is looked at once, however the chunks fall. Stopping early closes the connection instead of draining it.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadEventsOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
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

/** Collects the name and the data of an event, which its blank line completes. */
function createEventReader(options: ReadEventsOptions): (line: string) => ServerEvent | undefined {
  let data: string[] = [];
  let name = '';
  let length = 0;
  return (line) => {
    if (line === '') {
      const event = data.length === 0 ? undefined : { event: name || 'message', data: data.join('\n') };
      data = [];
      name = '';
      length = 0;
      return event;
    }
    const value = fieldOf('data', line);
    if (value === undefined) {
      name = fieldOf('event', line) ?? name;
      return undefined;
    }
    length += value.length + 1;
    if (length > options.maxEventLength) throw options.tooLong(options.maxEventLength);
    data.push(value);
    return undefined;
  };
}

/** One space after the colon belongs to the format. A field without a colon is present and empty. */
function fieldOf(field: 'data' | 'event', line: string): string | undefined {
  if (!line.startsWith(field)) return undefined;
  const at = field.length;
  if (line.length === at) return '';
  if (line[at] !== ':') return undefined;
  return line.slice(line[at + 1] === ' ' ? at + 2 : at + 1);
}

/** The text of a response, or the part that was read. */
interface ResponseText {
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** A response's text up to a number of bytes. The rest is not read: an endless body must not fill the memory. */
export async function readResponseText(response: Response, maxBytes: number): Promise<ResponseText> {
  if (response.body === null) return { text: '', isCut: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: false };
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
      if (left < 0) {
        reader.cancel().catch(() => undefined);
        return { text, isCut: true };
      }
    }
  } finally {
    reader.releaseLock();
  }
}

/** A host's rate limits: what is left, and when they reset. */
export function limitHeadersIn(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => LIMIT_HEADER.test(name)));
}

const LIMIT_HEADER = /^(?:x-|anthropic-)?ratelimit-/;
