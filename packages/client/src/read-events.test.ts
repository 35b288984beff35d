import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from './read-events.ts';

async function read(chunks: Iterable<Uint8Array>): Promise<readonly ServerEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('server-sent events', () => {
  it.each(['\n', '\r\n'])('are put together from pieces of any size, without comments: %j', async (end) => {
    const lines = [': live', '', 'event: request', 'data: {"a":', 'data: "ü"}', '', ': ping', '', 'data: 3', '', ''];
    const bytes = encode(lines.join(end));
    const expected = [
      { event: 'request', data: '{"a":\n"ü"}' },
      { event: 'message', data: '3' },
    ];
    expect(await read([bytes])).toEqual(expected);
    expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('hold line separators of JSON as they are', async () => {
    const data = JSON.stringify({ a: 'one\u2028two\u2029three' });
    expect(await read([encode(`data: ${data}\n\n`)])).toEqual([{ event: 'message', data }]);
  });

  it('without an end are not read', async () => {
    expect(await read([encode('event: request\ndata: {}\n')])).toEqual([]);
  });

  it('of any length would fill the memory: one that never ends fails', async () => {
    const piece = encode('x'.repeat(1024 * 1024));
    await expect(read(Array.from({ length: 17 }, () => piece))).rejects.toThrow('16 MiB');
  });
});
