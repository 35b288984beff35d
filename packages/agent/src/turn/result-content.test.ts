import type { ToolOutcome } from '@quartermaster/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultContent } from './call-tools.ts';

const LIMITS = { mostCharacters: 100, images: true };
const outcome = (content: unknown, text = ''): ToolOutcome => ({ text, value: { content }, isError: false });
const image = { type: 'image', mimeType: 'image/png', data: 'aGk=' };
const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

describe('a result', () => {
  it.each<[string, ToolOutcome, object]>([
    ['text', outcome([{ type: 'text', text: 'a' }]), { type: 'text', text: 'a' }],
    [
      'an image',
      outcome([image]),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ],
    [
      'a picture of a kind that models do not read',
      outcome([{ ...image, mimeType: 'image/tiff' }]),
      { text: '[image of type image/tiff, not shown]' },
    ],
    [
      'an image without data',
      outcome([{ type: 'image', mimeType: 'image/png' }]),
      { text: '[image of type image/png, not shown]' },
    ],
    [
      'sound',
      outcome([{ type: 'audio', mimeType: 'audio/wav', data: 'x' }]),
      { text: '[audio of type audio/wav, not shown]' },
    ],
    ['a link', outcome([{ type: 'resource_link', name: 'n', uri: 'x://y' }]), { text: '[resource n at x://y]' }],
    ['a text file', outcome([{ type: 'resource', resource: { uri: 'x://y', text: 'T' } }]), { text: 'T' }],
    [
      'another file',
      outcome([{ type: 'resource', resource: { uri: 'x://y', blob: 'x' } }]),
      { text: '[resource of type unknown at x://y, not shown]' },
    ],
    ['what is not known yet', outcome([{ type: 'smell', of: 'rose' }]), { text: '{"type":"smell","of":"rose"}' }],
    [
      'fields that are no strings',
      outcome([{ type: 'image', mimeType: { toString: 1 } }]),
      { text: '[image of type unknown, not shown]' },
    ],
    ['what is nested past telling', outcome([{ type: 'smell', of: nested(100_000) }]), { text: '[smell, not shown]' }],
    ['a text without text', outcome([{ type: 'text' }]), { text: 'The tool gave no result.' }],
    ['structure alone', outcome([], '{"a":1}'), { text: '{"a":1}' }],
    ['nothing', outcome([]), { text: 'The tool gave no result.' }],
    ['nonsense', outcome([null, 3]), { text: 'The tool gave no result.' }],
  ])('of %s', (_what, given, expected) => {
    expect(resultContent(given, LIMITS)).toMatchObject([expected]);
  });

  it('shows images only to models that take them, and not without end', () => {
    expect(resultContent(outcome([image]), { ...LIMITS, images: false })[0]).toMatchObject({ type: 'text' });
    const many = resultContent(outcome(Array(30).fill(image)), { ...LIMITS, mostCharacters: 10_000 });
    expect(many.filter(({ type }) => type === 'image')).toHaveLength(20);
  });

  it('is never longer than allowed by more than the sentence about it, nor cut through a character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), fc.nat(30), (texts, mostCharacters) => {
        const blocks = resultContent(outcome(texts.map((text) => ({ type: 'text', text }))), {
          mostCharacters,
          images: true,
        });
        const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
        const total = texts.join('');
        if (total === '') return;
        if (total.length <= mostCharacters) {
          expect(text).toBe(total);
          return;
        }
        const [shown = ''] = text.split('[The result was cut:');
        expect(shown.length).toBeLessThanOrEqual(mostCharacters);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
        expect(total.startsWith(shown)).toBe(true);
      }),
    );
  });
});
