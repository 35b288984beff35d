import { describe, expect, it } from 'vitest';
import { boundResult } from './bound-result.ts';

const text = (length: number, letter = 'x') => ({ type: 'text', text: letter.repeat(length) });
const NOTE = {
  type: 'text',
  text: expect.stringMatching(/^\[Cut off here: .* longer than 100 bytes \(mcp\.resultBytes\)/),
};

describe('a result of a tool', () => {
  it('that is short enough is the same object', () => {
    const result = { content: [text(10)], structuredContent: { a: 1 }, _meta: { b: 2 }, isError: false };
    expect(boundResult(result, 100)).toBe(result);
  });

  it('that is too long keeps the parts that fit, the beginning of a text, and says that it was cut', () => {
    const { content } = boundResult({ content: [text(20), text(500, 'y'), text(5)] }, 100) as {
      content: { text: string }[];
    };
    expect(content).toEqual([text(20), { type: 'text', text: expect.stringMatching(/^y+$/) }, NOTE]);
    expect(content[1]?.text.length).toBeLessThan(80);
  });

  it('is never cut within a character or an image', () => {
    const emoji = boundResult({ content: [text(80, '😀')] }, 100) as { content: { text: string }[] };
    expect(emoji.content[0]?.text).toMatch(/^(😀)+$/u);
    const image = { type: 'image', data: 'A'.repeat(200), mimeType: 'image/png' };
    expect(boundResult({ content: [text(3), image] }, 100).content).toEqual([text(3), NOTE]);
  });

  it('is an error if its structured content does not fit', () => {
    const result = { content: [text(5)], structuredContent: { rows: ['z'.repeat(500)] } };
    expect(boundResult(result, 100)).toEqual({
      content: [
        text(5),
        { type: 'text', text: expect.stringMatching(/^\[The tool has run\. Its structured result is left out/) },
      ],
      isError: true,
    });
  });

  it('loses metadata that is too long by itself, and stays an error', () => {
    expect(boundResult({ content: [], _meta: { a: 'b'.repeat(500) }, isError: true }, 100)).toEqual({
      content: [NOTE],
      isError: true,
    });
  });

  it('of many small parts is cut at the same size', () => {
    expect(boundResult({ content: [], _meta: { list: Array.from({ length: 1000 }, () => 0) } }, 100)).toEqual({
      content: [NOTE],
    });
  });
});
