import type { Json } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import type { Pin } from '../../store/index.ts';
import { listDefinition, readDefinitions } from '../definitions/index.ts';
import { comparePins, type Quarantine } from './compare-pins.ts';

const add = { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };

function compare(
  definitions: readonly Json[],
  before: readonly Pin[],
  quarantine: Quarantine = 'off',
): ReturnType<typeof comparePins> {
  const { read } = readDefinitions(definitions.map(listDefinition), { server: 'math' });
  return comparePins(read, before, { server: 'math', quarantine });
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
  ])('ignores a change of %s', (_, definition) => {
    expect(compare([definition], pinned, 'changed')).toMatchObject({
      changes: [],
      used: [{ tool: { id: 'math/add' } }],
    });
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

  it('notices a change under a key that has a meaning in JavaScript', () => {
    const make = (description: string): Json =>
      JSON.parse(
        `{"name":"add","inputSchema":{"type":"object","properties":{"__proto__":{"description":"${description}"}}}}`,
      );
    expect(compare([make('Another')], compare([make('A')], []).pins, 'changed').used).toEqual([]);
  });

  it('never accepts a change because it was reported, not even in a later strict run', () => {
    const changed = { ...add, description: 'Other' };
    const reported = compare([changed], pinned);
    expect(reported.used).toHaveLength(1);
    expect(compare([changed], reported.pins).changes).toHaveLength(1);
    expect(compare([changed], reported.pins, 'changed').used).toEqual([]);
    const strict = compare([changed], pinned, 'changed');
    expect(strict.used).toEqual([]);
    expect(compare([changed], strict.pins, 'changed').changes).toHaveLength(1);
  });

  it('holds new tools back if configured, and does not pin them', () => {
    const other = { ...add, name: 'other' };
    const { used, changes, pins } = compare([add, other], pinned, 'new');
    expect(used).toMatchObject([{ tool: { id: 'math/add' } }]);
    expect(changes).toMatchObject([{ tool: 'math/other', isHeld: true, isNew: true }]);
    expect(pins).toBe(pinned);
  });

  it('remembers a removed tool, so that it cannot return changed', () => {
    const { pins } = compare([], pinned, 'changed');
    expect(compare([{ ...add, description: 'Other' }], pins, 'changed').changes).toHaveLength(1);
  });
});
