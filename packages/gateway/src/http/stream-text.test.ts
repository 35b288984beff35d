import fc from 'fast-check';
import { expect, it } from 'vitest';
import { streamList, streamText } from './stream-text.ts';

it('texts arrive whole, wherever the pieces are cut', async () => {
  const unit = fc.constantFrom('a', 'é', '請', '🦊');
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 6 }), fc.nat(3), async (units, before) => {
      const texts = ['x'.repeat(before), units.join('').repeat(20_000), 'end'];
      expect((await new Response(streamText(texts)).text()) === texts.join('')).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it('a list arrives as JSON, of any length, behind the other fields', async () => {
  for (const count of [0, 1, 100, 101, 1_000]) {
    const members = Array.from({ length: count }, (_, id) => ({ id, name: '請"\\' }));
    for (const head of [{}, { type: 'list', tokens: 3 }]) {
      const text = await streamList(head, 'data', members).text();
      expect(text).toBe(JSON.stringify({ ...head, data: members }));
    }
  }
});

it('no member of a list is written before the client takes it, and other work goes on between some of them', async () => {
  let written = 0;
  let turns = 0;
  const toJSON = (): number => {
    written += 1;
    return written;
  };
  const members = Array.from({ length: 10_000 }, () => ({ toJSON }));
  const reader = (streamList({}, 'data', members).body as ReadableStream).getReader();
  await reader.read();
  await reader.read();
  expect(written).toBeLessThan(500);
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  while (!(await reader.read()).done);
  clearInterval(timer);
  expect(written).toBe(10_000);
  expect(turns).toBeGreaterThan(1);
});

it('nothing is encoded that the client does not take', async () => {
  const reader = streamText(['x'.repeat(1_000_000)]).getReader();
  expect((await reader.read()).value?.length).toBe(65_536);
  await reader.cancel();
});
