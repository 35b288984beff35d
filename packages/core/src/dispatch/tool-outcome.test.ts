import { describe, expect, it } from 'vitest';
import { toFailure, toOutcome } from './tool-outcome.ts';

const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

describe('what a tool returned, for the model', () => {
  it.each([
    ['a string', 'done', 'done'],
    ['nothing', undefined, ''],
    ['an object', { a: 1 }, '{"a":1}'],
    ['an MCP result', { content: [text('a'), { type: 'image', data: 'x' }, text('b')] }, 'a\nb'],
    ['structured content beside a text', { content: [text('a')], structuredContent: { b: 1 } }, 'a'],
    ['structured content and an empty text', { content: [text('')], structuredContent: { b: 1 } }, '{"b":1}'],
    ['structured content alone', { content: [], structuredContent: [1] }, '[1]'],
    ['an empty text', { content: [text('')] }, ''],
    ['something that JSON can’t hold', cycle, '[object Object]'],
  ])('is the text of %s', (_what, value, expected) => {
    expect(toOutcome(value)).toEqual({ text: expected, value, isError: false });
  });

  it('is an error where an MCP result says so', () => {
    expect(toOutcome({ content: [text('no')], isError: true })).toMatchObject({ text: 'no', isError: true });
  });
});

describe('a tool that throws', () => {
  it.each([
    [new Error('no such file'), 'no such file'],
    [new Error(''), 'The tool failed'],
    ['a string', 'a string'],
  ])('has answered %s', (error, expected) => {
    expect(toFailure(error)).toEqual({ text: expected, isError: true });
  });
});
