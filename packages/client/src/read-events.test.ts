import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from './read-events.ts';

async function read(...chunks: readonly string[]): Promise<readonly ServerEvent[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('server-sent events', () => {
  it('are put together from pieces, and comments are passed over', async () => {
    expect(
      await read(': live\n\nevent: req', 'uest\ndata: {"a":1}\n', '\n: ping\n\nevent: missed\ndata: 3\n\n'),
    ).toEqual([
      { event: 'request', data: '{"a":1}' },
      { event: 'missed', data: '3' },
    ]);
  });

  it('without an end are not read', async () => {
    expect(await read('event: request\ndata: {}\n')).toEqual([]);
  });
});
