import { tmpdir } from 'node:os';
import { createModelUpstream, rehearsalModel, scripted } from '@quartermaster/host/upstream';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, query, rehearsal } from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { assistantsOf, collect, initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { echo, office } from './testing/servers.fixture.ts';

const MAIL = 'mcp__office__send_mail';

/** Whether the mail tool ran, and what the model was told. */
async function mail(options: Options): Promise<{ ran: boolean; text: string; denied: readonly string[] }> {
  const { messages } = await ask(calling(MAIL, { text: 'hi' }), options);
  const [result] = resultsIn(messages);
  const { permission_denials: denials } = resultOf(messages);
  return {
    ran: result?.text === 'send_mail: hi',
    text: result?.text ?? '',
    denied: denials.map((one) => one.tool_name),
  };
}

describe('permissions', () => {
  it('deny what is not allowed, and say so in the result', async () => {
    expect(await mail({})).toMatchObject({ ran: false, denied: [MAIL] });
    expect((await mail({})).text).toContain('not among the allowed tools');
  });

  it.each([['mcp__office__send_mail'], ['mcp__office__*'], ['mcp__office'], ['mcp__office__send_*'], ['*']])(
    'come from allowedTools: %s',
    async (rule) => {
      expect(await mail({ allowedTools: [rule] })).toMatchObject({ ran: true, denied: [] });
    },
  );

  it('refuse rules that can name no tool, instead of passing over them', async () => {
    await expect(mail({ allowedTools: ['send_mail'] })).rejects.toThrow(
      'allowedTools names "send_mail", but no tool has that name. Write mcp__server__tool',
    );
    await expect(mail({ disallowedTools: ['send_mail'] })).rejects.toThrow('disallowedTools names "send_mail"');
    await expect(mail({ allowedTools: ['WebSearch'] })).rejects.toThrow(
      'a tool of the agent SDK that is not available here',
    );
    expect(await mail({ allowedTools: [MAIL], disallowedTools: ['WebSearch'] })).toMatchObject({ ran: true });
  });

  it.each([['mcp__other__*'], ['mcp__office__get_*']])('do not come from %s', async (rule) => {
    expect(await mail({ allowedTools: [rule] })).toMatchObject({ ran: false });
  });

  it('never come to a disallowed tool, which is not there for the model at all', async () => {
    const options = {
      allowedTools: ['*'],
      disallowedTools: ['mcp__office__send_*'],
      permissionMode: 'bypassPermissions',
    } as const;
    const { messages, upstream } = await ask(
      [{ calls: [{ name: 'tool_search', input: { query: 'send mail' } }] }, ...calling(MAIL)],
      options,
    );
    expect(initOf(messages).tools).toEqual(['mcp__office__get_weather', 'mcp__office__write_file']);
    expect(JSON.stringify(upstream.requests[1])).not.toContain('send_mail');
    expect(resultsIn(messages)[0]).toMatchObject({ isError: true });
  });

  it.each([
    ['default', 'send_mail', false],
    ['default', 'write_file', false],
    ['acceptEdits', 'send_mail', false],
    ['acceptEdits', 'write_file', true],
    ['bypassPermissions', 'send_mail', true],
    ['dontAsk', 'send_mail', false],
    ['plan', 'write_file', false],
  ] as const)('depend on the mode: %s and %s', async (permissionMode, name, isRun) => {
    const { messages } = await ask(calling(`mcp__office__${name}`), { permissionMode });
    expect(resultsIn(messages)[0]?.isError).toBe(!isRun);
    expect(initOf(messages).permissionMode).toBe(permissionMode);
  });

  it('let only tools pass that change nothing while planning', async () => {
    const options = { permissionMode: 'plan', allowedTools: ['mcp__office'] } as const;
    expect(resultsIn((await ask(calling('mcp__office__get_weather'), options)).messages)[0]?.isError).toBe(false);
    expect(resultsIn((await ask(calling(MAIL), options)).messages)[0]?.text).toContain('while planning');
  });

  it('refuse a mode that there is not', async () => {
    await expect(mail({ permissionMode: 'yolo' as 'default' })).rejects.toThrow('permissionMode is "yolo"');
  });

  it('can be asked for with canUseTool, which may change the arguments', async () => {
    const asked: unknown[] = [];
    const canUseTool: Options['canUseTool'] = async (name, input, { toolUseID }) => {
      asked.push([name, input, typeof toolUseID]);
      return { behavior: 'allow', updatedInput: { text: 'changed' } };
    };
    const { text } = await mail({ canUseTool });
    expect(asked).toEqual([[MAIL, { text: 'hi' }, 'string']]);
    expect(text).toBe('send_mail: changed');
    asked.length = 0;
    await mail({ canUseTool, allowedTools: ['mcp__office'] });
    await mail({ canUseTool, permissionMode: 'dontAsk' });
    expect(asked).toEqual([]);
  });

  it('are not given to arguments that a rule forbids, even by canUseTool', async () => {
    const canUseTool: Options['canUseTool'] = async () => ({
      behavior: 'allow',
      updatedInput: { command: 'rm -f x' },
    });
    const options = { tools: ['Bash'], disallowedTools: ['Bash(rm:*)'], canUseTool, cwd: tmpdir() };
    const { messages } = await ask(calling('Bash', { command: 'true' }), options);
    expect(resultsIn(messages)[0]).toMatchObject({ isError: true, text: expect.stringContaining('not allowed here') });
  });

  it('can be refused by canUseTool, in its words, and end the turn', async () => {
    const denied = await mail({ canUseTool: async () => ({ behavior: 'deny', message: 'Not on Sundays.' }) });
    expect(denied).toEqual({ ran: false, text: 'Not on Sundays.', denied: [MAIL] });
    const { messages } = await ask(calling(MAIL), {
      canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
    });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_during_execution', errors: ['Stop.'] });
  });

  it('hold for a callback that gives nothing sensible: it is a refusal', async () => {
    expect(await mail({ canUseTool: (async () => 'sure') as never })).toMatchObject({ ran: false });
    const broken = (): never => {
      throw new Error('broken');
    };
    for (const canUseTool of [broken, async () => broken()]) {
      expect(await mail({ canUseTool })).toMatchObject({ ran: false, denied: [MAIL] });
    }
  });
});

describe('the other options', () => {
  it('systemPrompt stands before everything, from a preset only what is appended', async () => {
    const plain = await ask([{ text: 'Hello.' }], { systemPrompt: 'Be brief.' });
    expect(String(plain.upstream.requests[0]?.system)).toMatch(/^Be brief\./);
    const preset = { type: 'preset', preset: 'claude_code', append: 'In French.' } as const;
    expect(String((await ask([{ text: 'Oui.' }], { systemPrompt: preset })).upstream.requests[0]?.system)).toMatch(
      /^In French\./,
    );
  });

  it('maxTurns ends a model that never stops', async () => {
    const turns = Array.from({ length: 5 }, () => ({ calls: [{ name: 'mcp__office__get_weather' }] }));
    const { messages, upstream } = await ask(turns, { maxTurns: 2, allowedTools: ['*'] });
    expect(resultOf(messages)).toMatchObject({ subtype: 'error_max_turns', is_error: true, num_turns: 2 });
    expect(upstream.requests).toHaveLength(2);
    expect(resultsIn(messages)).toHaveLength(2);
    await expect(ask([], { maxTurns: 0 })).rejects.toThrow('maxTurns is 0');
  });

  it('the guard ends a model that only searches', async () => {
    const turns = Array.from({ length: 40 }, () => ({ calls: [{ name: 'tool_search', input: { query: 'weather' } }] }));
    const { messages, upstream } = await ask(turns);
    expect(resultOf(messages)).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringContaining('searched')],
    });
    expect(upstream.requests).toHaveLength(24);
    expect(JSON.stringify(upstream.requests.at(-1)?.messages)).toContain('Do not search again');
  });

  it('model and maxOutputTokens go to the host, and setModel changes the model', async () => {
    const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'One.' }, { text: 'Two.' }] });
    async function* prompt() {
      yield userMessage('1');
      await messages.setModel('claude-b');
      yield userMessage('2');
    }
    const messages = query({
      prompt: prompt(),
      options: { upstream, model: 'claude-a', maxOutputTokens: 77, persistSession: false },
    });
    await collect(messages);
    expect(upstream.requests.map(({ model, max_tokens: most }) => [model, most])).toEqual([
      ['claude-a', 77],
      ['claude-b', 77],
    ]);
  });

  it('setPermissionMode holds from the next call on', async () => {
    const upstream = scripted({ dialect: 'anthropic', turns: [...calling(MAIL), ...calling(MAIL)] });
    async function* prompt() {
      yield userMessage('1');
      await messages.setPermissionMode('bypassPermissions');
      yield userMessage('2');
    }
    const options = { upstream, mcpServers: { office: office() }, persistSession: false };
    const messages = query({ prompt: prompt(), options });
    expect(resultsIn(await collect(messages)).map(({ isError }) => isError)).toEqual([true, false]);
  });

  it('costOf puts a price on the tokens', async () => {
    const { messages } = await ask([{ text: 'Hello.' }], {
      costOf: (usage) => usage.input_tokens + usage.output_tokens,
    });
    expect(resultOf(messages).total_cost_usd).toBe(15);
  });

  it('MAX_MCP_OUTPUT_TOKENS bounds results', async () => {
    const { messages } = await ask(calling(MAIL, { text: 'x'.repeat(1_000) }), {
      allowedTools: ['*'],
      env: { MAX_MCP_OUTPUT_TOKENS: '10' },
    });
    expect(resultsIn(messages)[0]?.text).toContain('of which the first 40 are shown');
  });

  it('an invalid value is refused before any server is started', async () => {
    let made = 0;
    const create = (): never => {
      made += 1;
      throw new Error('It is not to be made');
    };
    const mcpServers = { one: { type: 'in-process', create } } as const;
    const asked = ask([], { mcpServers, env: { MAX_MCP_OUTPUT_TOKENS: 'many' } });
    await expect(asked).rejects.toThrow('MAX_MCP_OUTPUT_TOKENS is "many"; allowed: a whole number from 1');
    expect(made).toBe(0);
  });

  it('results of one response share a quarter of the window', async () => {
    const calls = Array.from({ length: 4 }, () => ({ name: MAIL, input: { text: 'x'.repeat(5_000) } }));
    const { messages } = await ask([{ calls }, { text: 'Done.' }], { allowedTools: ['*'], contextTokens: 4_000 });
    expect(resultsIn(messages).map(({ text }) => /first (\d+) are/.exec(text)?.[1])).toEqual(Array(4).fill('1000'));
  });

  it('the conversation is marked for the cache of a provider that has one, at its end', async () => {
    const { upstream } = await ask(calling(MAIL), { allowedTools: ['*'] });
    const marks = upstream.requests.map(({ messages }) =>
      messages.map(({ content }) => JSON.stringify(content).split('cache_control').length - 1),
    );
    expect(marks).toEqual([[1], [0, 0, 1]]);
  });

  it('a server may be disabled, and one that is down is named, in init and in answers to searches', async () => {
    const { messages, upstream } = await ask(
      [{ calls: [{ name: 'tool_search', input: { query: 'zzzz qqqq' } }] }, { text: 'Nothing.' }],
      {
        mcpServers: {
          office: office(),
          gone: { command: '/no/such/command' },
          off: { command: 'node', disabled: true },
        },
        startWaitMs: 30_000,
      },
    );
    expect(initOf(messages).mcp_servers).toEqual([
      { name: 'office', status: 'connected' },
      { name: 'gone', status: 'failed', error: expect.stringContaining('/no/such/command') },
      { name: 'off', status: 'disabled' },
    ]);
    expect(JSON.stringify(upstream.requests[1]?.messages)).toContain('gone');
  });

  it('a server that never answers is given up after its time, and the others are used', async () => {
    const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], connectTimeoutMs: 300 };
    const { messages } = await ask(calling(MAIL, { text: 'x' }), {
      mcpServers: { silent, office: office() },
      startWaitMs: 30_000,
      allowedTools: ['mcp__office'],
    });
    expect(initOf(messages).mcp_servers).toEqual([
      { name: 'silent', status: 'failed', error: 'it did not answer within 0.3 s' },
      { name: 'office', status: 'connected' },
    ]);
    expect(resultsIn(messages)[0]?.text).toBe('send_mail: x');
  });

  it('mcpServerStatus reports the state of servers', async () => {
    const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'Hello.' }] });
    const messages = query({
      prompt: 'Hi',
      options: { upstream, mcpServers: { office: office() }, persistSession: false },
    });
    expect(await messages.mcpServerStatus()).toEqual([{ name: 'office', status: 'pending' }]);
    await messages.next();
    expect(await messages.mcpServerStatus()).toEqual([{ name: 'office', status: 'connected' }]);
    await messages.close();
  });

  it('one server in this process serves queries that run side by side', async () => {
    const shared = createSdkMcpServer({ name: 'shared', tools: [echo('echo', 'Repeats a text.')] });
    const one = () => ask(calling('mcp__shared__echo', { text: 'x' }), { mcpServers: { shared }, allowedTools: ['*'] });
    const both = await Promise.all([one(), one()]);
    expect(both.map(({ messages }) => resultsIn(messages)[0]?.text)).toEqual(['echo: x', 'echo: x']);
  });

  it('a server that was made elsewhere can be given as it is', async () => {
    const { name, instance } = office();
    const { messages } = await ask(calling(MAIL, { text: 'x' }), {
      mcpServers: { office: { type: 'sdk', name, instance } },
      allowedTools: ['*'],
    });
    expect(resultsIn(messages)[0]?.text).toBe('send_mail: x');
  });
});

describe('upstreams', () => {
  it('that translate for a model of any provider get along with what it can carry', async () => {
    const upstream = createModelUpstream({ dialect: 'anthropic', model: rehearsalModel('some-model') });
    const options = {
      upstream,
      model: 'some-model',
      mcpServers: { office: office(20) },
      allowedTools: ['*'],
      persistSession: false,
    };
    const messages = await collect(query({ prompt: 'Tell the weather of the city "Oslo"', options }));
    expect(assistantsOf(messages)[0]?.message.content.map(({ type }) => type)).toContain('tool_search_tool_result');
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: expect.stringContaining('get_weather') });
  });

  it('that are rehearsals need nothing', async () => {
    const options = {
      upstream: rehearsal(),
      mcpServers: { office: office(20) },
      allowedTools: ['*'],
      persistSession: false,
    };
    const messages = await collect(query({ prompt: 'Send an email to "Ada"', options }));
    expect(initOf(messages).model).toBe('rehearsal');
    expect(resultOf(messages)).toMatchObject({ result: expect.stringContaining('mcp__office__send_mail answered') });
  });
});

function userMessage(content: string) {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
}
