import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitBody } from './limit-body.ts';

const EVENTS = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } };

function responseOf(text: string, sizes: readonly number[], init: ResponseInit = {}): Response {
  const bytes = Buffer.from(text);
  let at = 0;
  const chunks = [...sizes, bytes.length].map((size) => {
    const start = at;
    at += size;
    return bytes.subarray(start, at);
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, init);
}

/** What is read, or undefined where it is too long. Whoever is to be told of that is told once. */
async function read(response: Response, maxBytes: number): Promise<string | undefined> {
  let overflows = 0;
  const onOverflow = (): void => {
    overflows += 1;
  };
  const text = await limitBody(response, { maxBytes, maxValues: 1_000, onOverflow })
    .text()
    .catch(() => undefined);
  expect(overflows).toBe(text === undefined ? 1 : 0);
  return text;
}

const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 });

describe('limitBody', () => {
  it('passes a body up to the limit, for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 20 }), sizes, fc.nat(20), async (text, cut, maxBytes) => {
        const isShort = Buffer.byteLength(text) <= maxBytes;
        expect(await read(responseOf(text, cut), maxBytes)).toBe(isShort ? text : undefined);
      }),
    );
  });

  it('passes events up to the limit, for any chunk boundaries and line endings', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, sizes, fc.integer({ min: 8, max: 20 }), async (events, cut, maxBytes) => {
        const lines = events.split(/\r\n|\r|\n/);
        const lengths: number[] = [];
        let length = 0;
        for (const line of lines) {
          length += line.length;
          if (line !== '') continue;
          lengths.push(length);
          length = 0;
        }
        const longest = Math.max(...lengths, length);
        const result = await read(responseOf(events, cut, EVENTS), maxBytes);
        // The ends of lines count as well, two bytes each at the most.
        if (longest > maxBytes) expect(result).toBeUndefined();
        if (longest + 2 * lines.length <= maxBytes) expect(result).toBe(events);
      }),
    );
  });

  it('does not limit a stream of short events', async () => {
    const events = 'data: hello\n\n'.repeat(1_000);
    expect(await read(responseOf(events, [], EVENTS), 20)).toBe(events);
    expect(await read(responseOf(`${events}data: ${'x'.repeat(20)}`, [], EVENTS), 20)).toBeUndefined();
  });

  it('fails a body, or an event, with more values than allowed: text is one', async () => {
    const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 'a, [b], {c}'));
    expect(await read(responseOf(list(1_000), [700]), 1_000_000)).toBe(list(1_000));
    expect(await read(responseOf(list(1_001), [700]), 1_000_000)).toBeUndefined();
    const events = `data: ${list(900)}\n\n`.repeat(3);
    expect(await read(responseOf(events, [700], EVENTS), 1_000_000)).toBe(events);
    expect(await read(responseOf(`${events}data: ${list(1_001)}`, [700], EVENTS), 1_000_000)).toBeUndefined();
    const hidden = `: "\ndata: ${list(1_001)}\n\n`;
    expect(await read(responseOf(hidden, [], EVENTS), 1_000_000)).toBeUndefined();
  });

  it('keeps the other parts of a response, and a response without a body', async () => {
    const limit = { maxBytes: 10, maxValues: 10, onOverflow: () => {} };
    const copy = limitBody(new Response('text', { status: 418, headers: { 'x-kept': 'yes' } }), limit);
    expect([copy.status, copy.ok, copy.headers.get('x-kept'), await copy.text()]).toEqual([418, false, 'yes', 'text']);
    const strange = Object.defineProperties(new Response('text'), {
      status: { value: 999 },
      url: { value: 'http://a.test/' },
    });
    expect(limitBody(strange, limit)).toMatchObject({ status: 999, url: 'http://a.test/' });
    const empty = new Response(null, { status: 204 });
    expect(limitBody(empty, limit)).toBe(empty);
  });
});
