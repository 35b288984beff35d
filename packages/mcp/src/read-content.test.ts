import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContentPart, readContent } from './read-content.ts';

describe('the content of a result', () => {
  it.each<[string, unknown, ContentPart]>([
    ['text', { type: 'text', text: 'a' }, { kind: 'text', text: 'a' }],
    ['text that is empty', { type: 'text', text: '' }, { kind: 'text', text: '' }],
    ['a text file', { type: 'resource', resource: { uri: 'x://y', text: 'T' } }, { kind: 'text', text: 'T' }],
    [
      'another file',
      { type: 'resource', resource: { uri: 'x://y', mimeType: 'a/b', blob: 'x' } },
      { kind: 'file', mimeType: 'a/b', uri: 'x://y' },
    ],
    [
      'a file that says nothing of itself',
      { type: 'resource', resource: {} },
      { kind: 'file', ...unsaid('mimeType', 'uri') },
    ],
    ['a link', { type: 'resource_link', name: 'n', uri: 'x://y' }, { kind: 'link', name: 'n', uri: 'x://y' }],
    [
      'an image',
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
      { kind: 'media', type: 'image', mimeType: 'image/png', data: 'aGk=' },
    ],
    [
      'sound without its data',
      { type: 'audio', mimeType: 'audio/wav' },
      { kind: 'media', type: 'audio', mimeType: 'audio/wav', ...unsaid('data') },
    ],
    [
      'fields that are no strings',
      { type: 'image', mimeType: { toString: 1 }, data: 7 },
      { kind: 'media', type: 'image', ...unsaid('mimeType', 'data') },
    ],
  ])('has %s', (_what, part, expected) => {
    expect(readContent({ content: [part] })).toEqual([expected]);
  });

  it.each<[string, object]>([
    ['a type that is not known yet', { type: 'smell', of: 'rose' }],
    ['no type', {}],
    ['a text without text', { type: 'text' }],
    ['a text of another type', { type: 'text', text: 3 }],
    ['a resource without one', { type: 'resource', resource: null }],
    ['a type that an object has', JSON.parse('{"type":"constructor","__proto__":{"type":"text","text":"a"}}')],
  ])('keeps %s unchanged', (_what, part) => {
    expect(readContent({ content: [part] })).toEqual([{ kind: 'other', part }]);
  });

  it.each([undefined, null, 'text', [], {}, { content: null }, { content: 'text' }, { content: [null, 3, 'a', []] }])(
    'has no parts in %j',
    (result) => {
      expect(readContent(result)).toEqual([]);
    },
  );

  it('has a part for each object, in order', () => {
    const type = fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'smell');
    const part = fc.record(
      { type, text: fc.jsonValue(), mimeType: fc.jsonValue(), data: fc.jsonValue(), resource: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.jsonValue())), (content) => {
        const objects = content.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
        expect(readContent({ content })).toEqual(objects.flatMap((one) => readContent({ content: [one] })));
        expect(readContent({ content })).toHaveLength(objects.length);
      }),
    );
  });
});

function unsaid<Name extends string>(...names: readonly Name[]): Record<Name, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, undefined>;
}
