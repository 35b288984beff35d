import { UpstreamError } from '@quartermaster/core';

const LONGEST_EVENT = 64 * 1024 * 1024;

/** The data of each event of a stream, as text. Comments, names and ids are passed over; lines may end in any of the three ways. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isDone = false;
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone = done;
      rest += decoder.decode(value, { stream: !done });
      // A carriage return at the end may be half of a line break.
      const isHalf = !done && rest.endsWith('\r');
      const events = (isHalf ? rest.slice(0, -1) : rest).split(/\r\n\r\n|\n\n|\r\r/);
      rest = `${isDone ? '' : (events.pop() ?? '')}${isHalf ? '\r' : ''}`;
      if (rest.length > LONGEST_EVENT)
        throw new UpstreamError('upstream_failed', `An event of the stream is longer than ${LONGEST_EVENT} characters`);
      for (const event of events) {
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
