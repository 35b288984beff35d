import { expect, it } from 'vitest';
import { writeResult } from './write-result.ts';

const text = (words: string) => ({ type: 'text', text: words });
const texts = (result: ReturnType<typeof writeResult>) => result.content.map((block) => block.text);

it('empty texts are left out, which hosts refuse', () => {
  expect(texts(writeResult({ content: [text(''), text('a'), { type: 'text' }, null] }, 100))).toEqual([
    'a',
    "[text of type unknown, which can't be shown here]",
  ]);
});

it('structured content stands for a text that says nothing', () => {
  expect(texts(writeResult({ content: [text('')], structuredContent: { a: 1 } }, 100))).toEqual(['{"a":1}']);
});

it('a great many small blocks become one', () => {
  const content = Array.from({ length: 5_000 }, () => text('x'));
  expect(texts(writeResult({ content }, 100_000))).toEqual(['x\n'.repeat(4_999).concat('x')]);
});

it.each([
  [3, ['a', '[cut off here: the result has 9 bytes, and 3 are allowed]']],
  [5, ['a😀', '[cut off here: the result has 9 bytes, and 5 are allowed]']],
])('is cut at %d bytes, between two characters', (maxBytes, expected) => {
  expect(texts(writeResult({ content: [text('a😀😀')] }, maxBytes))).toEqual(expected);
});

it('an address stays whole', () => {
  const uri = `https://files.example/${'x'.repeat(2_000)}?signature=1`;
  expect(texts(writeResult({ content: [{ type: 'resource_link', name: 'a', uri }] }, 10_000))).toEqual([
    `[the resource a at ${uri}]`,
  ]);
});
