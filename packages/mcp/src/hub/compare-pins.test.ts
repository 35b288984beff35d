import type { Json } from '@quartermaster/core';
import { describe, expect, it } from 'vitest';
import type { Pin } from '../store/index.ts';
import { comparePins } from './compare-pins.ts';
import { listDefinition } from './listed-definition.ts';
import { readDefinitions } from './read-definitions.ts';

const add = { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };

function compare(
  definitions: readonly Json[],
  before: readonly Pin[],
  isStrict = false,
): ReturnType<typeof comparePins> {
  const { read } = readDefinitions(definitions.map(listDefinition), { server: 'math' });
  return comparePins(read, before, { server: 'math', isStrict });
}

const pinned = compare([add], []).pins;

describe('comparePins', () => {
  it('pins what it sees for the first time', () => {
    expect(pinned).toEqual([{ tool: 'add', hash: expect.stringMatching(/^[0-9a-f]{64}$/), definition: add }]);
    expect(compare([add], []).changes).toEqual([]);
  });

  it.each([
    [
      'the order of keys',
      { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'Adds', name: 'add' },
    ],
    ['metadata', { ...add, _meta: { version: 2 } }],
    ['icons', { ...add, icons: [{ src: 'https://example.com/new.png' }] }],
  ])('does not mind a change of %s', (_, definition) => {
    expect(compare([definition], pinned, true)).toMatchObject({ changes: [], used: [{ tool: { id: 'math/add' } }] });
  });

  it.each([
    ['description', { ...add, description: 'Adds. Or does it?' }],
    ['schema', { ...add, inputSchema: { type: 'object', properties: { a: {}, b: {}, key: {} } } }],
    ['annotations', { ...add, annotations: { readOnlyHint: true } }],
    ['outputSchema', { ...add, outputSchema: { type: 'object' } }],
  ])('notices a change of %s', (field, definition) => {
    const { changes, used } = compare([definition], pinned);
    expect(changes).toMatchObject([{ tool: 'math/add', isHeld: false, before: { description: 'Adds' } }]);
    expect(changes[0]?.fields).toContain(field);
    expect(used).toHaveLength(1);
  });

  it('takes a change for granted once reported, and in strict mode not before it is accepted', () => {
    const changed = { ...add, description: 'Other' };
    expect(compare([changed], compare([changed], pinned).pins).changes).toEqual([]);
    const strict = compare([changed], pinned, true);
    expect(strict.used).toEqual([]);
    expect(compare([changed], strict.pins, true).changes).toHaveLength(1);
  });

  it('remembers a tool that left, so that it does not come back as another', () => {
    const { pins } = compare([], pinned, true);
    expect(compare([{ ...add, description: 'Other' }], pins, true).changes).toHaveLength(1);
  });
});
