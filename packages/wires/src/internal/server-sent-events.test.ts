import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvents, writeEvent } from './server-sent-events.ts';

function bodyOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(start, start + size));
      start += size;
    },
  });
}

async function read(text: string, size: number): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const data of readEvents(bodyOf(new TextEncoder().encode(text), size))) events.push(data);
  return events;
}

it('reads the events that were written, wherever the bytes are cut', async () => {
  const datum = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text));
  await fc.assert(
    fc.asyncProperty(fc.array(datum), fc.integer({ min: 1, max: 7 }), async (data, size) => {
      expect(await read(data.map(writeEvent).join(''), size)).toEqual(data);
    }),
  );
});

it.each([
  ['line feeds', 'data: a\n\ndata: b\n\n'],
  ['carriage returns', 'data: a\r\rdata: b\r\r'],
  ['both', 'data: a\r\n\r\ndata: b\r\n\r\n'],
  ['comments and names', ': ping\n\nevent: x\ndata: a\n\nid: 7\ndata: b\n\n'],
  ['no end', 'data: a\n\ndata: b'],
])('understands %s', async (_, text) => {
  for (const size of [1, 2, 3, 100]) expect(await read(text, size)).toEqual(['a', 'b']);
});
