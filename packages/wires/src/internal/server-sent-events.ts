import { UpstreamError } from '@quartermaster/core';

const LONGEST_EVENT = 64 * 1024 * 1024;

/** An empty line: two ends of lines, each in any of the three ways. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/g;

/** How much of an end can have come without its last character. */
const LONGEST_PARTIAL_END = 3;

/**
 * The data of each event of a stream, as text. Comments, names and ids are passed over. Every character is looked at once, however
 * small the chunks are in which an event arrives.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = createSplitter();
  let isDone = false;
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone = done;
      const events = splitter.add(decoder.decode(value, { stream: !done }));
      for (const event of isDone ? [...events, splitter.rest()] : events) {
        const data = dataOf(event);
        if (data !== undefined) yield data;
      }
    }
  } finally {
    // Whoever stops reading early leaves the connection to be closed, not to be drained.
    if (!isDone) reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

interface Splitter {
  /** The events that this text completes. */
  add(text: string): readonly string[];
  /** What has come of an event without an end. */
  rest(): string;
}

/** Keeps an unfinished event in pieces, and looks for its end only where that can be new. */
function createSplitter(): Splitter {
  let pieces: string[] = [];
  let length = 0;
  let tail = '';
  return {
    add(text) {
      const fresh = tail + text;
      const events: string[] = [];
      let start = 0;
      for (const end of fresh.matchAll(EVENT_END)) {
        events.push(`${pieces.join('')}${fresh.slice(start, end.index)}`);
        start = end.index + end[0].length;
        pieces = [];
        length = 0;
      }
      const cut = Math.max(start, fresh.length - LONGEST_PARTIAL_END);
      if (cut > start) pieces.push(fresh.slice(start, cut));
      length += cut - start;
      tail = fresh.slice(cut);
      if (length > LONGEST_EVENT)
        throw new UpstreamError('upstream_failed', `An event of the stream is longer than ${LONGEST_EVENT} characters`);
      return events;
    },
    rest: () => `${pieces.join('')}${tail}`,
  };
}

/** One event as it goes over the wire. */
export function writeEvent(data: string): string {
  return `data: ${data}\r\n\r\n`;
}

function dataOf(event: string): string | undefined {
  const lines = event
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
  return lines.length === 0 ? undefined : lines.join('\n');
}
