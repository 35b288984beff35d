import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../../catalog/index.ts';
import { sampleSnapshot, sampleTool, sampleTools } from '../../disclosure/sample-tools.fixture.ts';
import { resolveName } from './resolve-name.ts';

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

  it('accepts any text', () => {
    const snapshot = sampleSnapshot();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => void resolveName(snapshot, name)));
    expect(resolveName(snapshot, 'x'.repeat(1_000_000))).toBeUndefined();
  });
});
