import type { JsonObject } from '@quartermaster/core/catalog';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { describe, expect, it } from 'vitest';
import { chatRound, chatTool } from './chat-script.fixture.ts';
import { READ, start, TOOLS, USER } from './wrapped-chat.fixture.ts';

describe('tools of a catalog that no chat completion declares', () => {
  it('executes tools of an extra catalog inside the loop', async () => {
    const executed: unknown[] = [];
    const { client, host } = await start(
      [
        chatRound({ calls: [{ id: 'call_0', name: 'tool_search', input: { query: 'weather' } }] }),
        chatRound({
          calls: [{ id: 'call_0', name: 'tool_call', input: { name: 'get_weather', arguments: { text: 'Oslo' } } }],
        }),
        chatRound({ text: 'It rains.' }),
      ],
      {
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        execute: (call) => {
          executed.push([call.name, call.arguments]);
          return 'Rain';
        },
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(completion.choices[0]).toMatchObject({ message: { content: 'It rains.' }, finish_reason: 'stop' });
    expect(executed).toEqual([['get_weather', { text: 'Oslo' }]]);
    expect((host.requests[2] as { messages: object[] }).messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0_2',
      content: 'Rain',
    });
  });

  it('declares and executes tools of an extra catalog that is too small to defer', async () => {
    const { client, host } = await start(
      [
        chatRound({ calls: [{ id: 'a', name: 'get_weather', input: { text: 'Oslo' } }] }),
        chatRound({ text: 'It rains.' }),
      ],
      {
        settings: DEFAULT_GATE_SETTINGS,
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        execute: () => 'Rain',
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: [READ] });
    expect(completion.choices[0]?.message.content).toBe('It rains.');
    const first = {
      model: 'gpt-5.4',
      messages: [USER],
      tools: [READ, chatTool('get_weather', 'The weather of a place.')],
    };
    const call = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"text":"Oslo"}' } };
    expect(host.requests).toEqual([
      first,
      {
        ...first,
        messages: [
          USER,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'a', content: 'Rain' },
        ],
      },
    ]);
  });

  it.each(['stub', 'load'] as const)(
    'sends no function without properties, which OpenAI refuses (%s)',
    async (form) => {
      const catalog = [{ name: 'list_inboxes', description: 'Lists inboxes.', inputSchema: { type: 'object' } }];
      const find = { id: 's', name: 'tool_search', input: { query: 'inboxes' } };
      const { client, host } = await start([chatRound({ calls: [find] }), chatRound({ text: 'Done.' })], {
        form,
        catalog,
      });
      await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
      const sent = host.requests.flatMap((request) => (request as { tools: { function: JsonObject }[] }).tools);
      expect(sent.map(({ function: { name } }) => name)).toContain('list_inboxes');
      for (const { function: declared } of sent) expect(declared.parameters).toHaveProperty('properties');
    },
  );

  it('does not execute a tool next to a call that the client must answer: its result would be lost', async () => {
    const executed: unknown[] = [];
    const { client } = await start(
      [
        chatRound({
          calls: [
            { id: 'a', name: 'get_weather', input: { text: 'Oslo' } },
            { id: 'b', name: 'read_file', input: { text: 'x' } },
          ],
        }),
      ],
      {
        catalog: [chatTool('get_weather', 'The weather of a place.')],
        policies: { tools: { get_weather: 'never' } },
        execute: (call) => executed.push(call.name),
      },
    );
    const completion = await client.chat.completions.create({ model: 'gpt-5.4', messages: [USER], tools: TOOLS });
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([{ id: 'b', function: { name: 'read_file' } }]);
    expect(executed).toEqual([]);
  });
});
