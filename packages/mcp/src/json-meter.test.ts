import { describe, expect, it } from 'vitest';
import { createJsonMeter, DEEPEST_MESSAGE, findExcess } from './json-meter.ts';

const sizeOf = (text: string) => createJsonMeter().add(Buffer.from(text));

describe('the size of a JSON text', () => {
  it.each([
    { text: '5', values: 0, depth: 0 },
    { text: '[]', values: 1, depth: 1 },
    { text: '[1,2,[3]]', values: 4, depth: 2 },
    { text: '{"a":1,"b":2}', values: 22, depth: 1 },
    { text: '[{"a":1},{"a":2},{"a":3}]', values: 16, depth: 2 },
    { text: '{"a":"[[,,::\\"[[,"}', values: 11, depth: 1 },
    { text: '["\\\\",[[]]]', values: 4, depth: 3 },
  ])('$text has $values values and $depth levels', ({ text, values, depth }) => {
    expect(sizeOf(text)).toEqual({ values, depth });
  });

  it('is the same however the text is cut', () => {
    const text = JSON.stringify({
      name: 'a "quoted" \\ text, with [brackets]',
      list: [{ name: 'é' }, { name: [1, 2] }],
    });
    const bytes = Buffer.from(text);
    const meter = createJsonMeter();
    let size = { values: 0, depth: 0 };
    for (const byte of bytes) size = { ...meter.add(Uint8Array.of(byte)) };
    expect(size).toEqual(sizeOf(text));
  });

  it('starts again for the next text', () => {
    const meter = createJsonMeter();
    meter.add(Buffer.from('{"a":[[1,"half a string'));
    meter.reset();
    expect(meter.add(Buffer.from('{"a":1}'))).toEqual({ values: 11, depth: 1 });
  });

  it('is not hidden by a quote in a line before it', () => {
    expect(sizeOf(': a comment with a "\ndata: [[[],[]]]').depth).toBe(3);
  });

  it('is refused for its values or its depth, with the setting that allows more', () => {
    const limits = { maxValues: 100 };
    expect(findExcess(sizeOf(`[${'1,'.repeat(99)}1]`), limits)).toBeUndefined();
    expect(findExcess(sizeOf(`[${'1,'.repeat(100)}1]`), limits)).toBe(
      'has more than 100 JSON values (mcp.messageValues)',
    );
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const any = { maxValues: 1_000_000 };
    expect(findExcess(sizeOf(deep(DEEPEST_MESSAGE)), any)).toBeUndefined();
    expect(findExcess(sizeOf(deep(DEEPEST_MESSAGE + 1)), any)).toContain('nests deeper than 1000 levels');
  });
});
