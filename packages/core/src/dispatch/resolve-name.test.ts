import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../catalog/index.ts';
import { sampleSnapshot, sampleTool, sampleTools } from '../disclosure/sample-tools.fixture.ts';
import { resolveName } from './resolve-name.ts';
import { editDistance, suggestName } from './suggest-name.ts';

/** The textbook recursion over whole tables. */
function naiveDistance(left: string, right: string): number {
  const table = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (__, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const cost = Math.min(at(row - 1, column - 1) + same, at(row - 1, column) + 1, at(row, column - 1) + 1);
      table[row]?.splice(column, 1, cost);
    }
  }
  return at(left.length, right.length);
}

describe('resolveName', () => {
  it('prefers the exact name to any other reading of it', () => {
    const snapshot = createSnapshot([sampleTool({ name: 'create_issue' }), sampleTool({ name: 'createIssue' })]);
    expect(resolveName(snapshot, 'createIssue')?.name).toBe('createIssue');
    expect(resolveName(snapshot, 'create_issue')?.name).toBe('create_issue');
    expect(resolveName(snapshot, 'CREATE ISSUE')).toBeUndefined();
  });

  it('finds every tool of the catalog by the name that the model sees, by its id, and in other spellings', () => {
    const snapshot = sampleSnapshot();
    for (const tool of snapshot.tools) {
      const name = snapshot.modelName(tool);
      for (const spelling of [
        name,
        tool.id,
        name.toUpperCase(),
        name.replaceAll('_', '-'),
        `'${name}'`,
        `mcp__${name}`,
      ]) {
        expect(resolveName(snapshot, spelling)).toBe(tool);
      }
    }
  });

  it('a tool that the caller may not use neither fits nor makes another ambiguous', () => {
    const snapshot = createSnapshot([...sampleTools(), sampleTool({ name: 'create_issue', server: 'gitlab' })]);
    const allow = (tool: { server?: string }): boolean => tool.server !== 'gitlab';
    expect(resolveName(snapshot, 'create_issue')).toBeUndefined();
    expect(resolveName(snapshot, 'create_issue', allow)?.server).toBe('github');
    expect(resolveName(snapshot, 'gitlab__create_issue', allow)).toBeUndefined();
  });

  it('takes any text', () => {
    const snapshot = sampleSnapshot();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => void resolveName(snapshot, name)));
    expect(resolveName(snapshot, 'x'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('suggestName', () => {
  it.each([
    ['creat_issue', ['github__create_issue']],
    ['issue', ['github__close_issue', 'github__create_issue']],
    ['zzzzzzzz', []],
    ['', []],
  ])('for %j is %j', (name, expected) => {
    expect(suggestName({ snapshot: sampleSnapshot(), name })).toEqual(expected);
  });

  it('editDistance agrees with the textbook up to its limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat(8), (left, right, limit) => {
        const naive = naiveDistance(left, right);
        expect(editDistance(left, right, limit)).toBe(naive <= limit ? naive : Number.POSITIVE_INFINITY);
      }),
    );
  });
});
