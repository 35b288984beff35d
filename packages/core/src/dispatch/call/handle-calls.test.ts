import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../../catalog/index.ts';
import { manyTools, sampleTool, sampleTools } from '../../disclosure/sample-tools.fixture.ts';
import { callsOf, handle, textOf } from '../call-context.fixture.ts';
import type { ToolboxOptions } from '../toolbox-options.ts';
import type { ArgumentCheck } from './handle-calls.ts';

describe('a wrapped call', () => {
  const real = ['github__create_issue', { text: 'x' }];

  it.each<[string, unknown]>([
    ['name and arguments', { name: 'github__create_issue', arguments: { text: 'x' } }],
    ['arguments as a JSON string', { name: 'github__create_issue', arguments: '{"text":"x"}' }],
    ['everything as a JSON string', '{"name":"github__create_issue","arguments":"{\\"text\\":\\"x\\"}"}'],
    ['arguments flattened beside the name', { name: 'github__create_issue', text: 'x' }],
    ['tool_name', { tool_name: 'github__create_issue', arguments: { text: 'x' } }],
    ['tool', { tool: 'github__create_issue', args: { text: 'x' } }],
    ['tool_name flattened', { tool_name: 'github__create_issue', text: 'x' }],
    ['nested under tool', { tool: { name: 'github__create_issue', arguments: { text: 'x' } } }],
    ['nested under arguments', { arguments: { tool_name: 'github__create_issue', arguments: { text: 'x' } } }],
    ['a single call where a list was due', { calls: { name: 'github__create_issue', arguments: { text: 'x' } } }],
    ['a list', { calls: [{ name: 'github__create_issue', arguments: { text: 'x' } }] }],
    ['a list written as JSON', { calls: '[{"name":"github__create_issue","arguments":{"text":"x"}}]' }],
    ['quotes around the name', { name: ' `github__create_issue` ', arguments: { text: 'x' } }],
    ['spaces in the name', { name: 'github create issue', arguments: { text: 'x' } }],
    ["the agent's spelling", { name: 'mcp__github__create_issue', arguments: { text: 'x' } }],
    ['functions. before the name', { name: 'functions.github__create_issue', arguments: { text: 'x' } }],
    ['the bare name', { name: 'create_issue', arguments: { text: 'x' } }],
    ['a dotted name', { name: 'github.create_issue', arguments: { text: 'x' } }],
  ])('understands %s', async (_, input) => {
    expect(await callsOf('tool_call', input)).toEqual([real]);
  });

  it("tells the tool's name from a parameter that is called name", async () => {
    const tools = createSnapshot([sampleTool({ name: 'create_user' })]);
    expect(
      await callsOf('tool_call', { name: 'Bob', tool_name: 'create_user', age: 3 }, { options: { tools } }),
    ).toEqual([['create_user', { name: 'Bob', age: 3 }]]);
  });

  it('treats params as a parameter unless it stands alone', async () => {
    expect(await callsOf('tool_call', { name: 'create_issue', params: { a: 1 }, text: 'x' })).toEqual([
      ['github__create_issue', { params: { a: 1 }, text: 'x' }],
    ]);
    expect(await callsOf('tool_call', { name: 'create_issue', params: { text: 'x' } })).toEqual([
      ['github__create_issue', { text: 'x' }],
    ]);
  });

  it('keeps hostile keys as what they are', async () => {
    const input: unknown = JSON.parse('{"name":"create_issue","__proto__":{"admin":true},"constructor":1}');
    const [call] = await callsOf('tool_call', input);
    expect(JSON.stringify(call)).toBe('["github__create_issue",{"__proto__":{"admin":true},"constructor":1}]');
  });

  it('resolves several, each with its own id', async () => {
    const step = await handle('tool_call', {
      calls: [{ name: 'create_issue' }, { name: 'send_message', arguments: { text: 'y' } }],
    });
    expect(step.kind === 'calls' && step.calls.map(({ id, name }) => [id, name])).toEqual([
      ['c1', 'github__create_issue'],
      ['c1_2', 'slack__send_message'],
    ]);
  });

  it('runs none of several when one is wrong, and says which', async () => {
    expect(await textOf('tool_call', { calls: [{ name: 'create_issue' }, { name: 'nope' }] })).toBe(
      'Nothing was called. Call 2 of 2: There is no tool "nope". Use tool_search to find tools.',
    );
    expect(await textOf('tool_call', { calls: [{ name: 'create_issue' }, 7] })).toContain('needs name and arguments');
  });

  it.each(['tool_search', 'tool_describe', 'tool_call'])("can't call %s", async (name) => {
    expect(await textOf('tool_call', { name, arguments: { name: 'create_issue', arguments: {} } })).toBe(
      `${name} can't be called through another tool. Call it directly.`,
    );
  });

  it('is refused for a tool that is not deferred, with the advice to call it directly', async () => {
    expect(await textOf('tool_call', { name: 'read_file', arguments: {} })).toBe(
      'read_file is in your own list of tools. Call it directly by its name, not through tool_call.',
    );
  });

  it.each<[unknown]>([
    [{}],
    [{ arguments: {} }],
    ['not json'],
    [[1]],
    [7],
    [{ name: 'create_issue', arguments: 'not json' }],
  ])('is refused with an example when it is %j', async (input) => {
    expect(await textOf('tool_call', input)).toMatch(/needs name and arguments|not a JSON object/);
  });

  it('is bounded in number', async () => {
    const calls = Array.from({ length: 21 }, () => ({ name: 'create_issue' }));
    expect(await textOf('tool_call', { calls })).toBe('21 at once are too many; at most 20');
  });
});

describe('a direct call', () => {
  it('to a deferred tool is served', async () => {
    expect(await callsOf('github__create_issue', { text: 'x' })).toEqual([['github__create_issue', { text: 'x' }]]);
  });

  it('to a tool in the list is served', async () => {
    expect(await callsOf('read_file', { text: 'x' })).toEqual([['read_file', { text: 'x' }]]);
  });

  it('to a bare name that two servers share is not guessed at', async () => {
    const tools = createSnapshot([...sampleTools(), sampleTool({ name: 'create_issue', server: 'gitlab' })]);
    expect(await textOf('create_issue', {}, { options: { tools } })).toContain(
      'Closest: github__create_issue, gitlab__create_issue.',
    );
  });

  it('with wrong arguments is answered with what to send and the schema', async () => {
    const options: Partial<ToolboxOptions> = {
      checkArguments: () => ({
        kind: 'wrong',
        problems: [{ path: '/txet', message: 'is not a parameter', closest: 'text' }],
      }),
    };
    const step = await handle('github__create_issue', { txet: 'x' }, { options });
    expect(step).toMatchObject({ kind: 'answer', isError: true });
    expect(step.kind === 'answer' && JSON.parse(step.text)).toEqual({
      error: 'invalid_arguments',
      tool: 'github__create_issue',
      problems: [{ at: '/txet', problem: 'is not a parameter', closest: 'text' }],
      parameters: sampleTools()[1]?.schema,
    });
  });

  it('with wrong arguments gets every problem that the checker lists', async () => {
    const problems = Array.from({ length: 20 }, (_, index) => ({ path: `/${index}`, message: 'must be a text' }));
    const checkArguments = (): ArgumentCheck => ({ kind: 'wrong', problems });
    const text = await textOf('github__create_issue', {}, { options: { checkArguments } });
    expect(JSON.parse(text).problems).toHaveLength(20);
  });

  it('uses the arguments that the checker has repaired', async () => {
    const options: Partial<ToolboxOptions> = { checkArguments: () => ({ kind: 'good', arguments: { text: '3' } }) };
    expect(await callsOf('github__create_issue', { text: 3 }, { options })).toEqual([
      ['github__create_issue', { text: '3' }],
    ]);
  });

  it('is refused if its arguments are not an object', async () => {
    expect(await textOf('github__create_issue', '[1]')).toBe(
      'The arguments of github__create_issue are not a JSON object',
    );
  });

  it('is refused when its arguments are nested beyond reason', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(await textOf('github__create_issue', deep)).toBe(
      'The arguments of github__create_issue are not a JSON object',
    );
    expect(await textOf('tool_call', `{"name":"create_issue","arguments":${deep}}`)).toContain('not a JSON object');
  });

  it('an unknown name is answered in bounded size', async () => {
    const options = { tools: createSnapshot(manyTools(2_000)) };
    expect((await textOf(`tool_${'9'.repeat(100_000)}`, {}, { options })).length).toBeLessThan(400);
  });
});
