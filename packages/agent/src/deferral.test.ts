import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type McpServerConfig, type Options, type ToolExtra } from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { echo, office } from './testing/servers.fixture.ts';

const MAIL = 'mcp__office__send_mail';
const SOME_TOOLS = ['open_gate', 'close_gate', 'paint_wall'].map((name) => echo(name, `Does ${name} at once.`));

describe('tool search', () => {
  const declared = async (options: Options): Promise<readonly unknown[]> => {
    const { upstream } = await ask([{ text: 'Hello.' }], options);
    return upstream.requests[0]?.tools?.map(({ name }) => name) ?? [];
  };
  const many = { mcpServers: { office: office(20) } };

  it.each([
    ['true', true],
    ['', true],
    ['false', false],
    ['auto', false],
    ['auto:0', true],
  ])('follows ENABLE_TOOL_SEARCH=%s', async (value, isOn) => {
    expect((await declared({ env: { ENABLE_TOOL_SEARCH: value } })).includes('tool_search')).toBe(isOn);
  });

  it('is measured against the window', async () => {
    const env = { ENABLE_TOOL_SEARCH: 'auto:5' };
    expect(await declared({ env, contextTokens: 100_000 })).not.toContain('tool_search');
    expect(await declared({ env, contextTokens: 1_000 })).toContain('tool_search');
  });

  it('refuses an invalid value', async () => {
    await expect(declared({ env: { ENABLE_TOOL_SEARCH: 'sometimes' } })).rejects.toThrow(
      'ENABLE_TOOL_SEARCH is "sometimes"',
    );
  });

  it('follows capabilities: from 15 tools on, or never', async () => {
    expect(await declared({ capabilities: ['tool_search'] })).not.toContain('tool_search');
    expect(await declared({ ...many, capabilities: ['tool_search'] })).toContain('tool_search');
    expect(await declared({ ...many, capabilities: [] })).toHaveLength(23);
    expect(await declared({ ...many, capabilities: [], env: { ENABLE_TOOL_SEARCH: 'true' } })).toEqual(['tool_search']);
  });

  it.each([
    [3, true],
    [4, false],
    [0, true],
  ])('follows toolSearchThreshold: 3 tools and %d', async (toolSearchThreshold, isOn) => {
    const tools = await declared({ capabilities: ['tool_search'], toolSearchThreshold });
    expect(tools.includes('tool_search')).toBe(isOn);
  });

  it('leaves out pins, which are ids, names as the model sees them, or patterns', async () => {
    const pins = ['office/get_weather', 'mcp__office__send_*'];
    expect(await declared({ ...many, pins })).toEqual(['tool_search', 'mcp__office__get_weather', MAIL]);
  });

  it('follows policies: by tool, by pattern and by server', async () => {
    const policies = {
      servers: { office: 'never' },
      patterns: { 'office/archive_*': 'always' },
      tools: { [MAIL]: 'automatic' },
    } as const;
    const shown = ['mcp__office__get_weather', 'mcp__office__write_file'];
    expect(await declared({ ...many, policies })).toEqual(['tool_search', ...shown]);
    // What is always deferred is so below the threshold too.
    const few = { ...many, policies, capabilities: ['tool_search'], toolSearchThreshold: 99, form: 'load' } as const;
    expect(await declared(few)).toEqual(['tool_search', shown[0], MAIL, shown[1]]);
  });

  it('follows what tools in this process say themselves, where no rule says otherwise', async () => {
    const say = (name: string, extra: ToolExtra) => ({ ...echo(name, `Does ${name}.`), ...extra });
    const mine = createSdkMcpServer({
      name: 'mine',
      tools: [
        say('read', { policy: 'never' }),
        say('load', { alwaysLoad: true }),
        say('rare', { policy: 'always' }),
        say('both', { policy: 'automatic', alwaysLoad: true }),
        say('plain', {}),
      ],
    });
    const named = async (options: Options, entry: McpServerConfig = mine): Promise<readonly unknown[]> =>
      (await declared({ mcpServers: { my: entry }, ...options })).map((name) => String(name).replace('mcp__my__', ''));
    expect(await named({})).toEqual(['tool_search', 'read', 'load']);
    const below = { capabilities: ['tool_search'], form: 'load' } as const;
    expect(await named(below)).toEqual(['tool_search', 'read', 'load', 'both', 'plain']);
    expect(await named({ policies: { patterns: { 'my/*ad': 'automatic' } } })).toEqual(['tool_search']);
    expect(await named({ policies: { servers: { my: 'never' } } })).toHaveLength(5);
    expect(await named({}, { ...mine, policy: 'always' })).toEqual(['tool_search']);
    expect(await named({}, { ...mine, allow: ['r*'], deny: ['rare'] })).toEqual(['read']);
    expect(await named({}, { ...mine, type: 'in-process' })).toEqual(['tool_search', 'read', 'load']);
  });

  it('finds a tool in this process by the words of its searchHint', async () => {
    const hinted = { ...echo('ship_it', 'Does the usual.'), searchHint: 'zeppelin departure' };
    const mcpServers = { yard: createSdkMcpServer({ name: 'yard', tools: [hinted, ...SOME_TOOLS] }) };
    const { upstream } = await ask(
      [{ calls: [{ name: 'tool_search', input: { query: 'zeppelin', limit: 1 } }] }, { text: 'Found.' }],
      { mcpServers },
    );
    expect(upstream.requests[1]?.tools?.map(({ name }) => name)).toEqual(['tool_search', 'mcp__yard__ship_it']);
  });

  it.each<[string, Options, string]>([
    [
      'a policy',
      { policies: { servers: { office: 'sometimes' as 'never' } } },
      'policies.servers["office"] is "sometimes"',
    ],
    [
      'a kind of rule',
      { policies: { 'a/*': 'never' } as object },
      'policies: unknown option "a/*"; allowed: patterns, servers, tools',
    ],
    ['a pin', { pins: [7 as never] }, 'pins is [7]'],
    ['pins', { pins: 'a' as never }, 'pins is "a"'],
    ['a threshold', { toolSearchThreshold: 1.5, capabilities: [] }, 'toolSearchThreshold is 1.5'],
    ['a threshold of nothing', { toolSearchThreshold: 5 }, 'which are not given'],
  ])('refuses an invalid %s before a server is started', async (_what, options, message) => {
    let made = 0;
    const create = (): never => {
      made += 1;
      throw new Error('It is not to be made');
    };
    await expect(ask([], { ...options, mcpServers: { one: { type: 'in-process', create } } })).rejects.toThrow(message);
    expect(made).toBe(0);
  });

  it('refuses a tool with an invalid policy', () => {
    const tools = [{ ...echo('odd', 'Is odd.'), policy: 'seldom' as 'never' }];
    expect(() => createSdkMcpServer({ name: 'odd', tools })).toThrow('The policy of tool "odd" is "seldom"');
  });

  it('keeps the bytes before the first message the same from turn to turn', async () => {
    const { upstream } = await ask(
      [{ calls: [{ name: 'tool_search', input: { query: 'weather' } }] }, ...calling('mcp__office__get_weather')],
      { ...many, allowedTools: ['*'], systemPrompt: 'Be brief.' },
    );
    const [first, ...rest] = upstream.requests;
    for (const request of rest) {
      expect(request.system).toEqual(first?.system);
      expect(request.tools?.[0]).toEqual(first?.tools?.[0]);
      // What was found is declared with a mark, which the provider keeps out of what the model reads first.
      expect(request.tools?.slice(1).every((one) => one.defer_loading === true)).toBe(true);
    }
  });
});
