import { describe, expect, it } from 'vitest';
import { DEFAULT_GATE_SETTINGS, type GateSettings } from '../gate/index.ts';
import { callsOf, textOf } from './call-context.fixture.ts';

const OFF: GateSettings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'off' } };
const ask = { options: { settings: OFF } };

describe('search that was switched off in the middle of a conversation', () => {
  it.each(['tool_search', 'tool_describe'])('%s is answered with the tools that there are', async (name) => {
    const text = await textOf(name, { query: 'issue', name: 'x' }, ask);
    expect(text).toContain(`${name} is switched off`);
    expect(text).toContain('by its name: read_file, github__create_issue');
  });

  it('a call through the bridge is served, since the model can have learned no other way', async () => {
    const input = { name: 'github__create_issue', arguments: { text: 'x' } };
    expect(await callsOf('tool_call', input, ask)).toEqual([['github__create_issue', { text: 'x' }]]);
  });

  it('an unknown name is answered with the available tools', async () => {
    expect(await textOf('no_such_tool', {}, ask)).toContain('Call a tool of your list by its name: read_file');
    expect(await textOf('tool_call', { name: 'nope', arguments: {} }, ask)).toContain('There is no tool "nope"');
  });

  it('names no tool that the caller may not use', async () => {
    const caller = { allow: (tool: { readonly server?: string }) => tool.server !== 'github' };
    expect(await textOf('tool_search', { query: 'issue' }, { ...ask, caller })).not.toContain('create_issue');
  });
});
