import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEventStream, type StreamEvent } from './read-event-stream.ts';

async function read(bytes: Uint8Array, sizes: readonly number[], maxEventLength = 1_000_000): Promise<StreamEvent[]> {
  let at = 0;
  let turn = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const size = sizes[turn % sizes.length] ?? 1;
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
      turn += 1;
    },
  });
  const events: StreamEvent[] = [];
  for await (const event of readEventStream(body, { maxEventLength })) events.push(event);
  return events;
}

/** What the format says, without any streaming in it. */
function oracle(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  let name = '';
  let data: string[] = [];
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    if (line === '') {
      if (data.length > 0) events.push({ name, data: data.join('\n') });
      name = '';
      data = [];
    }
    const match = /^(event|data)(?:: ?(.*))?$/s.exec(line);
    if (match?.[1] === 'event') name = match[2] ?? '';
    if (match?.[1] === 'data') data.push(match[2] ?? '');
  }
  return events;
}

const line = fc.oneof(
  fc.constantFrom('', '', 'data', 'data:', ': comment', 'id: 7', 'retry: 5', 'event: message_start', 'datax: no'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
  .map((lines) => lines.flat().join(''));

it('reads the same events however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      async (given, sizes) => {
        const bytes = new TextEncoder().encode(given);
        expect(await read(bytes, sizes)).toEqual(oracle(new TextDecoder().decode(bytes)));
      },
    ),
    { numRuns: 300 },
  );
});

it.each([
  ['one line', `data: ${'x'.repeat(200)}`],
  ['many lines', 'data: xxxxxxxxx\n'.repeat(30)],
])('refuses an event that is too long in %s', async (_what, given) => {
  await expect(read(new TextEncoder().encode(given), [7], 100)).rejects.toMatchObject({ code: 'malformed' });
});
