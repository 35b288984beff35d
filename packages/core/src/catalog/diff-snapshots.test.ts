import { describe, expect, it } from 'vitest';
import { createSnapshot, type Snapshot } from './create-snapshot.ts';
import { diffSnapshots } from './diff-snapshots.ts';
import { parseTools } from './parse-tools.ts';
import { createTool } from './tool.ts';

function snapshotOf(...definitions: readonly unknown[]): Snapshot {
  return createSnapshot(parseTools(definitions, { onProblem: 'throw' }).tools);
}

const a = { name: 'a', description: 'first', input_schema: { type: 'object', properties: {} } };
const b = { ...a, name: 'b' };

describe('diffSnapshots', () => {
  it('finds nothing between equal snapshots', () => {
    const diff = diffSnapshots(snapshotOf(a, b), snapshotOf(structuredClone(a), b));
    expect(diff).toEqual({ added: [], removed: [], changed: [], same: true });
  });

  it('lists what came and what went', () => {
    const diff = diffSnapshots(snapshotOf(a), snapshotOf(b));
    expect(diff.added.map((tool) => tool.id)).toEqual(['b']);
    expect(diff.removed.map((tool) => tool.id)).toEqual(['a']);
    expect(diff).toMatchObject({ changed: [], same: false });
  });

  it('treats a moved tool as the same tool in another catalog', () => {
    const diff = diffSnapshots(snapshotOf(a, b), snapshotOf(b, a));
    expect(diff).toEqual({ added: [], removed: [], changed: [], same: false });
  });

  it.each<[string, object, string[]]>([
    ['description', { ...a, description: 'second' }, ['description']],
    ['schema', { ...a, input_schema: { type: 'object' } }, ['schema']],
    ['deferral', { ...a, defer_loading: true }, ['policy', 'definition']],
    ['strict mode', { ...a, strict: true }, ['strict', 'definition']],
    ['a field of the format alone', { ...a, cache_control: null }, ['definition']],
    ['description and schema', { ...a, description: '', input_schema: {} }, ['description', 'schema']],
  ])('names the changed fields: %s', (_, changed, fields) => {
    const diff = diffSnapshots(snapshotOf(a, b), snapshotOf(changed, b));
    expect(diff.changed.map((change) => change.fields)).toEqual([fields]);
    expect(diff.changed[0]).toMatchObject({ before: { id: 'a' }, after: { id: 'a' } });
  });

  it('distinguishes servers', () => {
    const before = createSnapshot([createTool({ name: 'x', server: 'one' })]);
    const after = createSnapshot([createTool({ name: 'x', server: 'two' })]);
    expect(diffSnapshots(before, after)).toMatchObject({ added: [{ id: 'two/x' }], removed: [{ id: 'one/x' }] });
  });
});
