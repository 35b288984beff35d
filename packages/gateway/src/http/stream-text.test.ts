import fc from 'fast-check';
import { expect, it } from 'vitest';
import { streamText } from './stream-text.ts';

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

it('nothing is encoded that the client does not take', async () => {
  const reader = streamText(['x'.repeat(1_000_000)]).getReader();
  expect((await reader.read()).value?.length).toBe(65_536);
  await reader.cancel();
});
