/** One server-sent event. */
export interface ServerEvent {
  /** `message` where it has no name. */
  readonly event: string;
  readonly data: string;
}

/** More than any record has: a stream that never ends its event must not fill the memory. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** The events of a stream. `EventSource` can't send a key, so they are read here. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      if (text.length > MOST_CHARACTERS) throw new RangeError('The gateway sent an event of more than 16 MiB');
      for (const block of blocks) {
        const event = readEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for a comment, and for an event without data. */
function readEvent(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}
