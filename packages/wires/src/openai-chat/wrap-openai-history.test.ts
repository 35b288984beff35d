import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { chatRound } from './chat-script.fixture.ts';
import { CREATE, planned, READ, SEARCH, start, TOOLS, USER } from './wrapped-chat.fixture.ts';

describe('the history of a wrapped OpenAI client in chat completions', () => {
  it('runs tools with the SDK: what was called stays declared, what was only found does not', async () => {
    const { client, host } = await start(
      [
        chatRound({ calls: [SEARCH] }),
        chatRound({ calls: [{ id: 'call_1', name: 'create_issue', input: { text: 'x' } }] }),
        chatRound({ text: 'Opened number 7.' }),
      ],
      { form: 'load' },
    );
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: 'gpt-5.4',
      messages: [USER],
      tools: TOOLS.map((tool) => ({
        ...tool,
        function: {
          ...tool.function,
          parse: JSON.parse,
          function: (input: object): string => {
            seen.push([tool.function.name, input]);
            return 'Number 7';
          },
        },
      })),
    });
    expect(await runner.finalContent()).toBe('Opened number 7.');
    expect(seen).toEqual([['create_issue', { text: 'x' }]]);
    const { own, note } = planned('load');
    expect(host.requests[2]).toMatchObject({
      tools: [...own, READ, CREATE],
      messages: [
        { role: 'system', content: note },
        USER,
        { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'tool_search' } }] },
        { role: 'tool', tool_call_id: 'call_0' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', function: { name: 'create_issue', arguments: '{"text":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Number 7' },
      ],
    });
  });

  it('remembers what was found after an answer in words, and sends the bytes that the host has seen', async () => {
    const { client, host } = await start(
      [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Shall I?' }), chatRound({ text: 'Done.' })],
      { form: 'load' },
    );
    const first = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const [choice] = first.choices;
    expect(choice?.message).toMatchObject({ content: 'Shall I?' });
    const yes = { role: 'user', content: 'Yes' } as const;
    const said = { role: 'assistant', content: choice?.message.content ?? '' } as const;
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER, said, yes], tools: TOOLS });
    const [, second, third] = host.requests as { messages: unknown[]; tools: unknown[] }[];
    expect(third?.tools).toEqual(second?.tools);
    expect(JSON.stringify(third?.messages.slice(0, second?.messages.length))).toBe(JSON.stringify(second?.messages));
    expect(third?.messages.slice(second?.messages.length)).toEqual([said, yes]);
  });

  it('keeps a refused call and its answer next to one that the client got', async () => {
    const calls = [
      { id: 'call_0', name: 'tool_call', input: { name: 'no_such_tool', arguments: {} } },
      { id: 'call_1', name: 'tool_call', input: { name: 'create_issue', arguments: { text: 'x' } } },
      { id: 'call_2', name: 'tool_describe', input: { name: 'create_issue' } },
    ];
    const { client, host } = await start([chatRound({ calls }), chatRound({ text: 'Done.' })], { form: 'bridge' });
    const first = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const message = first.choices[0]?.message;
    expect(message?.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'create_issue' } }]);
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Number 7' } as const;
    const messages = [USER, message as OpenAI.ChatCompletionMessageParam, result];
    await client.chat.completions.create({ model: 'gpt-5.4', messages, tools: TOOLS });
    expect(host.requests[1]).toMatchObject({
      messages: [
        { role: 'system' },
        USER,
        { role: 'assistant', tool_calls: [{ id: 'call_0' }, { id: 'call_1' }, { id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_0', content: expect.stringContaining('There is no tool "no_such_tool"') },
        result,
        { role: 'tool', tool_call_id: 'call_2', content: expect.stringContaining('"parameters"') },
      ],
    });
  });

  it('weaves in what was hidden though nothing is deferred any more, and answers a search all the same', async () => {
    const { client, host } = await start([
      chatRound({ calls: [SEARCH] }),
      chatRound({ text: 'Hm.' }),
      chatRound({ calls: [SEARCH] }),
      chatRound({ text: 'Yes.' }),
    ]);
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const messages = [USER, { role: 'assistant', content: 'Hm.' }, USER] as const;
    const { choices } = await client.chat.completions.create({
      model: 'gpt-5.4',
      messages: [...messages],
      tools: [READ],
    });
    expect(choices[0]?.message.content).toBe('Yes.');
    const searched = [{ tool_calls: [{ function: { name: 'tool_search' } }] }, { role: 'tool' }];
    expect(host.requests[2]).toMatchObject({ messages: [USER, ...searched, messages[1], USER] });
    expect(host.requests[3]).toMatchObject({
      messages: [
        USER,
        ...searched,
        messages[1],
        USER,
        searched[0],
        { content: expect.stringContaining('switched off') },
      ],
    });
  });

  it('keeps nothing when asked not to, and serves the messages as they are', async () => {
    const { client, host } = await start(
      [chatRound({ calls: [SEARCH] }), chatRound({ text: 'Hm.' }), chatRound({ text: 'Yes.' })],
      {
        transcript: false,
      },
    );
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    const said = { role: 'assistant', content: 'Hm.' } as const;
    await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER, said, USER], tools: TOOLS });
    expect(host.requests[2]).toMatchObject({ messages: [{ role: 'system' }, USER, said, USER] });
  });
});
