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
  ['a mixture', 'data: a\n\r\ndata: b\r\n\n'],
  ['more empty lines than needed', '\n\r\ndata: a\r\n\r\r\n\n\n\r\rdata: b\r\n\r\n\r\n'],
  ['no end', 'data: a\n\ndata: b'],
])('understands %s', async (_, text) => {
  for (const size of [1, 2, 3, 100]) expect(await read(text, size)).toEqual(['a', 'b']);
});

it('finds the ends that a splitter finds which sees the whole text', async () => {
  const piece = fc.constantFrom('data: a', 'data: ', ': c', 'b', '\r', '\n', '\r\n', '\r\n\r\n', '\n\n');
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (stream, size) => {
      expect(await read(stream, size)).toEqual(readWhole(stream));
    }),
    { numRuns: 1_000 },
  );
});

/** Line by line, as the standard tells it. */
function readWhole(text: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    if (line !== '' || data.length === 0) continue;
    events.push(data.join('\n'));
    data = [];
  }
  return events;
}

// Looking at all of an event again for each chunk would be 25 billion characters.
it('reads an event of five megabytes in ten thousand chunks', async () => {
  const data = 'x'.repeat(5_000_000);
  const [event, ...others] = await read(writeEvent(data), 500);
  expect(event?.length).toBe(data.length);
  expect(others).toEqual([]);
});

it('refuses an event that does not end', async () => {
  const chunk = new Uint8Array(8 * 1024 * 1024).fill(120);
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(chunk),
    cancel: () => {
      isCancelled = true;
    },
  });
  await expect(readEvents(body).next()).rejects.toMatchObject({ code: 'upstream_failed' });
  expect(isCancelled).toBe(true);
});
