import type { Server, ToolFacts } from '@quartermaster/client';
import { describe, expect, it } from 'vitest';
import { groupByServer, tableRows } from './server-groups.ts';

function tool(id: string, facts: Partial<ToolFacts> = {}): ToolFacts {
  const [server = '', name = ''] = id.split('/');
  const rest = { model_name: name, description: '', tokens: 1, policy: 'automatic', calls: 0, findings: [] } as const;
  return { tool: id, server, name, ...rest, ...facts };
}

const GROUPS = groupByServer(
  [tool('b/x', { tokens: 5 }), tool('b/y', { tokens: 2, calls: 9 }), tool('a/z', { tokens: 3, calls: 1 })],
  [],
);

describe('the rows of the table', () => {
  it.each([
    [undefined, ['server b', 'server a']],
    ['name', ['server a', 'server b']],
    ['calls', ['server b', 'server a']],
  ] as const)('are sorted by %s, the largest server first where nothing is said', (sort, keys) => {
    const options = sort === undefined ? {} : { sort };
    expect(tableRows(GROUPS, options).map(({ key }) => key)).toEqual(keys);
  });

  it('of an unfolded server are its tools, in the same order', () => {
    const keys = tableRows(GROUPS, { server: 'b', sort: 'calls' }).map(({ key }) => key);
    expect(keys).toEqual(['server b', 'tool b/y', 'tool b/x', 'server a']);
  });

  it('of an unfolded server begin with the tools that are held back', () => {
    const change = {
      ...{ tool: 'a/w', server: 'a', hash: '', held: true, is_new: false, fields: [], findings: [] },
      tokens: { before: 1, after: 2 },
    };
    const rest = { state: 'ready', tools: 1, tokens: 3, pins: 0, problems: [], trust_findings: 0 } as const;
    const server: Server = { name: 'a', ...rest, changes: [change, { ...change, tool: 'a/used', held: false }] };
    const groups = groupByServer([tool('a/z', { tokens: 3 })], [server]);
    expect(tableRows(groups, { server: 'a' }).map(({ key }) => key)).toEqual(['server a', 'held a/w', 'tool a/z']);
    expect(tableRows(groups, { view: 'tools' }).map(({ key }) => key)).toEqual(['held a/w', 'tool a/z']);
  });

  it('hold what the filter finds in names and descriptions', () => {
    expect(tableRows(GROUPS, { view: 'tools', q: 'Z' }).map(({ key }) => key)).toEqual(['tool a/z']);
  });
});
