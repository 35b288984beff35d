import { parseTools } from '@quartermaster/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStoredTools } from './read-stored-tools.ts';

describe('the tools of a stored catalog', () => {
  it('are those of the whole text, however it is divided', async () => {
    const definition = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      description: fc.string({
        maxLength: 20_000,
        minLength: 0,
        unit: fc.constantFrom('a', '"', '\\\\', ']', '}', ',', 'é', '😀'),
      }),
      inputSchema: fc.constantFrom(
        { type: 'object' },
        { type: 'object', properties: { a: { enum: ['[', '{"', ','] } } },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(definition, { maxLength: 12 }), async (definitions) => {
        const text = JSON.stringify(definitions);
        expect(await readStoredTools(text)).toEqual(parseTools(JSON.parse(text)).tools);
      }),
      { numRuns: 60 },
    );
  });

  it('are read with pauses between some of them', async () => {
    const text = JSON.stringify(
      Array.from({ length: 500 }, (_, at) => ({ name: `tool_${at}`, description: 'x'.repeat(1_000), inputSchema: {} })),
    );
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    expect(await readStoredTools(text, { sliceMs: 0, pause })).toHaveLength(500);
    expect(pauses).toBeGreaterThan(10);
  });
});
