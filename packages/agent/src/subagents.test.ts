import { describe, expect, it } from 'vitest';
import type { HookCallback, HookInput, Options, SDKMessage } from './index.ts';
import { ask } from './testing/ask.fixture.ts';
import { initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';

const agents = {
  meteorologist: {
    description: 'Knows the weather.',
    prompt: 'You know the weather.',
    tools: ['mcp__office__get_weather'],
  },
};
const OPTIONS: Options = { agents, allowedTools: ['Agent', 'mcp__office__get_weather'] };
const task = {
  calls: [{ id: 'toolu_task', name: 'Agent', input: { subagent_type: 'meteorologist', prompt: 'Rome?' } }],
};
const weather = { calls: [{ name: 'mcp__office__get_weather', input: { text: 'Rome' } }] };

function parents(messages: readonly SDKMessage[]): readonly unknown[] {
  return messages.flatMap((message) =>
    message.type === 'assistant' || message.type === 'user' ? [[message.type, message.parent_tool_use_id]] : [],
  );
}

describe('a subagent', () => {
  it('works with a prompt and a conversation of its own, and its answer is the result of the call', async () => {
    const { messages, upstream } = await ask([task, weather, { text: 'Sunny.' }, { text: 'It is sunny.' }], OPTIONS);
    expect(initOf(messages)).toMatchObject({ agents: ['meteorologist'], tools: expect.arrayContaining(['Agent']) });
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'It is sunny.' });
    const [, first] = upstream.requests;
    expect(first).toMatchObject({
      system: expect.stringMatching(/^You know the weather\./),
      messages: [{ role: 'user' }],
    });
    expect(JSON.stringify(first?.messages)).toContain('Rome?');
    expect(JSON.stringify(first?.messages)).not.toContain('Do it');
    expect(JSON.stringify(upstream.requests[3]?.messages)).toContain('Sunny.');
    expect(JSON.stringify(upstream.requests[3]?.messages)).not.toContain('get_weather: Rome');
  });

  it('is seen at work by parent_tool_use_id, with its text only where that is asked for', async () => {
    const turns = [task, { ...weather, text: 'Looking.' }, { text: 'Sunny.' }, { text: 'Done.' }];
    const quiet = await ask(turns, OPTIONS);
    expect(parents(quiet.messages)).toEqual([
      ['assistant', null],
      ['assistant', 'toolu_task'],
      ['user', 'toolu_task'],
      ['user', null],
      ['assistant', null],
    ]);
    expect(JSON.stringify(quiet.messages)).not.toContain('Looking.');
    const loud = await ask(turns, { ...OPTIONS, forwardSubagentText: true });
    expect(JSON.stringify(loud.messages)).toContain('Looking.');
  });

  it('searches within its scope: other tools are not there for it', async () => {
    const search = { calls: [{ name: 'tool_search', input: { query: 'send mail' } }] };
    const mail = { calls: [{ name: 'mcp__office__send_mail', input: { text: 'hi' } }] };
    const turns = [task, search, mail, { text: 'I can’t.' }, { text: 'Done.' }];
    const { messages, upstream } = await ask(turns, { ...OPTIONS, allowedTools: ['*'] });
    expect(JSON.stringify(upstream.requests[2]?.messages)).not.toContain('send_mail');
    expect(resultsIn(messages)[0]).toMatchObject({ isError: true });
    expect(upstream.requests[1]?.tools?.map(({ name }) => name)).not.toContain('Agent');
  });

  it('needs permission for its calls as the query does, and its denials are reported', async () => {
    const { messages } = await ask([task, weather, { text: 'No.' }, { text: 'Done.' }], {
      agents,
      allowedTools: ['Task'],
    });
    expect(resultsIn(messages)[0]).toMatchObject({ isError: true });
    expect(resultOf(messages).permission_denials).toMatchObject([{ tool_name: 'mcp__office__get_weather' }]);
  });

  it('that fails is an error for the model; one that does not exist never starts', async () => {
    const failing = await ask([task, { fails: new Error('away') }, { text: 'Done.' }], OPTIONS);
    expect(resultsIn(failing.messages).at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('away') });
    const other = { calls: [{ name: 'Agent', input: { subagent_type: 'cook', prompt: 'x' } }] };
    const { messages } = await ask([other, { text: 'Done.' }], OPTIONS);
    expect(resultsIn(messages)[0]).toMatchObject({ isError: true });
  });

  it('counts towards the cost, not towards the usage of the query itself', async () => {
    const prices = { '*': { input: 1_000_000, output: 0 } };
    const { messages } = await ask([task, { text: 'Sunny.' }, { text: 'Done.' }], { ...OPTIONS, prices });
    const result = resultOf(messages);
    expect(result).toMatchObject({ num_turns: 2, total_cost_usd: 30, usage: { input_tokens: 20 } });
  });

  it('is announced to hooks, which may have it go on', async () => {
    const seen: HookInput[] = [];
    const note: HookCallback = (input) => {
      seen.push(input);
      if (input.hook_event_name !== 'SubagentStop' || input.stop_hook_active) return {};
      return { decision: 'block', reason: 'And tomorrow?' };
    };
    const hooks = {
      SubagentStart: [{ hooks: [note] }],
      SubagentStop: [{ hooks: [note] }],
      PreToolUse: [{ hooks: [note] }],
    };
    const turns = [task, weather, { text: 'Sunny.' }, { text: 'Rain.' }, { text: 'Done.' }];
    const { messages } = await ask(turns, { ...OPTIONS, hooks });
    expect(seen.map((input) => [input.hook_event_name, input.agent_type])).toEqual([
      ['PreToolUse', undefined],
      ['SubagentStart', 'meteorologist'],
      ['PreToolUse', 'meteorologist'],
      ['SubagentStop', 'meteorologist'],
      ['SubagentStop', 'meteorologist'],
    ]);
    expect(resultsIn(messages).at(-1)?.text).toBe('Rain.');
  });

  it.each([
    [{ description: '', prompt: 'x' }, 'agents.helper.description is missing'],
    [{ description: 'x', prompt: 'x', model: 'sonnet' }, 'agents.helper.model is the alias "sonnet"'],
    [{ description: 'x', prompt: 'x', tools: ['WebFetch'] }, 'agents.helper.tools names "WebFetch"'],
    [{ description: 'x', prompt: 'x', maxTurns: 0 }, 'agents.helper.maxTurns is not a whole number'],
    [{ description: 'x', prompt: 'x', colour: 'red' }, 'agents.helper has no field "colour"'],
  ])('is refused if its definition is invalid: %j', async (helper, message) => {
    await expect(ask([], { agents: { helper } as never })).rejects.toThrow(message);
  });
});
