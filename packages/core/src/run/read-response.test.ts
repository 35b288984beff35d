import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from './read-response.ts';

const writeEvent = (data: string): string => `data: ${data}\r\n\r\n`;

const tooLong = (length: number): Error => new RangeError(`longer than ${length}`);

interface Reading {
  /** Of the chunks, over and over. */
  readonly sizes: readonly number[];
  readonly maxEventLength?: number;
}

async function read(text: string, { sizes, maxEventLength = 10_000_000 }: Reading): Promise<readonly string[]> {
  const events: string[] = [];
  const body = bodyOf(new TextEncoder().encode(text), sizes);
  for await (const { data } of readEvents(body, { maxEventLength, tooLong })) events.push(data);
  return events;
}

function bodyOf(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  let start = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      const size = sizes[turn % sizes.length] ?? 1;
      controller.enqueue(bytes.slice(start, start + size));
      start += size;
      turn += 1;
    },
  });
}

/** What the format says, without any streaming in it. */
function readWhole(text: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    const match = /^data(?:: ?(.*))?$/s.exec(line);
    if (match !== null) data.push(match[1] ?? '');
    if (line !== '' || data.length === 0) continue;
    events.push(data.join('\n'));
    data = [];
  }
  return events;
}

describe('a stream of events', () => {
  it.each([
    ['line feeds', 'data: a\n\ndata: b\n\n'],
    ['carriage returns', 'data: a\r\rdata: b\r\r'],
    ['both', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['a mixture', 'data: a\n\r\ndata: b\r\n\n'],
    ['comments and names', ': ping\n\nevent: x\ndata: a\n\nid: 7\nretry: 5\ndatax: c\ndata: b\n\n'],
    ['more empty lines than needed', '\n\r\ndata: a\r\n\r\r\n\n\n\r\rdata: b\r\n\r\n\r\n'],
    ['no blank line at its end', 'data: a\n\ndata: b\n'],
    ['no end of its last line', 'data: a\n\ndata: b'],
    ['no space after the colon', 'data:a\n\ndata:b\n\n'],
    ['a byte order mark', '\uFEFFdata: a\n\ndata: b\n\n'],
  ])('is read with %s', async (_what, text) => {
    for (const size of [1, 2, 3, 100]) expect(await read(text, { sizes: [size] })).toEqual(['a', 'b']);
  });

  it.each([
    ['several lines', 'data: a\ndata:\ndata\ndata: b\n\n', 'a\n\n\nb'],
    ['spaces after the one that belongs to the format', 'data:   a \n\n', '  a '],
    ['characters of several bytes', 'data: é😀\n\n', 'é😀'],
    ['nothing', 'data\n\n', ''],
  ])('has an event of %s', async (_what, text, expected) => {
    for (const size of [1, 2, 3, 100]) expect(await read(text, { sizes: [size] })).toEqual([expected]);
  });

  it('returns the name of an event, and `message` if it has none', async () => {
    const events: unknown[] = [];
    const text = ': live\n\nevent: request\ndata: {"a":\ndata: "ü"}\n\ndata: b\n\nevent:x\n\nevents: y\ndata: c\n\n';
    for await (const event of readEvents(bodyOf(new TextEncoder().encode(text), [1]), { maxEventLength: 99, tooLong }))
      events.push(event);
    expect(events).toEqual([
      { event: 'request', data: '{"a":\n"ü"}' },
      { event: 'message', data: 'b' },
      { event: 'message', data: 'c' },
    ]);
  });

  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

  it('has the events that were written, wherever the bytes are cut', async () => {
    const datum = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text));
    await fc.assert(
      fc.asyncProperty(fc.array(datum), sizes, async (data, cuts) => {
        expect(await read(data.map(writeEvent).join(''), { sizes: cuts })).toEqual(data);
      }),
    );
  });

  it('has the events that a reader finds which sees the whole text', async () => {
    const piece = fc.oneof(
      fc.constantFrom('data: a', 'data: ', 'data', 'event: x', ': c', 'b', '\r', '\n', '\r\n', '\r\n\r\n', '\n\n'),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `data: ${text}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), sizes, async (pieces, cuts) => {
        expect(await read(pieces.join(''), { sizes: cuts })).toEqual(readWhole(pieces.join('')));
      }),
      { numRuns: 1_000 },
    );
  });

  // Looking at all of an event again for each chunk would be 25 billion characters.
  it('may have an event of five megabytes in ten thousand chunks', async () => {
    const data = 'x'.repeat(5_000_000);
    const [event, ...others] = await read(writeEvent(data), { sizes: [500] });
    expect(event?.length).toBe(data.length);
    expect(others).toEqual([]);
  });
});

describe('an event that is too long', () => {
  it.each([
    ['one line', `data: ${'x'.repeat(200)}`],
    ['many lines', 'data: xxxxxxxxx\n'.repeat(30)],
    ['a comment that does not end', `: ${'x'.repeat(200)}`],
  ])('is refused in %s', async (_what, text) => {
    await expect(read(text, { sizes: [7], maxEventLength: 100 })).rejects.toThrow('longer than 100');
  });

  it('is allowed to be as long as it may be', async () => {
    const text = `data: ${'x'.repeat(94)}\n\n`;
    expect(await read(text.repeat(3), { sizes: [7], maxEventLength: 100 })).toHaveLength(3);
  });
});

describe('a body', () => {
  it('is cancelled if the reader stops early or an event does not end', async () => {
    const endless = (text: string): { body: ReadableStream<Uint8Array>; isCancelled(): boolean } => {
      let isCancelled = false;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        cancel: () => {
          isCancelled = true;
        },
      });
      return { body, isCancelled: () => isCancelled };
    };
    const stopped = endless('data: a\n\n');
    for await (const { data } of readEvents(stopped.body, { maxEventLength: 100, tooLong })) {
      expect(data).toBe('a');
      break;
    }
    expect(stopped.isCancelled()).toBe(true);
    const stuck = endless('xxxxxxxxxx');
    await expect(readEvents(stuck.body, { maxEventLength: 100, tooLong }).next()).rejects.toThrow('longer than 100');
    expect(stuck.isCancelled()).toBe(true);
  });

  it('reports every chunk, including those without an event', async () => {
    let chunks = 0;
    const body = bodyOf(new TextEncoder().encode(': ping\n\n: ping\n\n'), [8]);
    const events = readEvents(body, { maxEventLength: 100, tooLong, onChunk: () => chunks++ });
    expect((await events.next()).done).toBe(true);
    expect(chunks).toBeGreaterThanOrEqual(2);
  });
});
