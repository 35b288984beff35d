import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { describe, expect, it } from 'vitest';
import { ASK, COMMON, calling, clock, connect, done, mail, ON, searching, weather } from './wrapped-client.fixture.ts';

describe('the tool runner of a wrapped client', () => {
  it('runs the tool runner to the end, without losing the history', async () => {
    const { client, host } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const places: string[] = [];
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      tools: [
        betaTool({
          name: 'get_weather',
          description: 'Tells the weather at a place.',
          inputSchema: {
            type: 'object',
            properties: { place: { type: 'string' } },
            required: ['place'],
            additionalProperties: false,
          },
          run: ({ place }) => {
            places.push(place);
            return 'Rain';
          },
        }),
      ],
    });
    const message = await runner;
    expect(places).toEqual(['Oslo']);
    expect(message.content).toEqual([{ type: 'text', text: 'It rains.' }]);
    expect(host.requests.map((request) => request.thread)).toEqual([undefined, undefined, undefined]);
    expect(host.requests[2]?.messages.map((one) => one.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(host.requests[2]?.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result', content: 'Rain' }]);
  });

  it('resumes a pause through the tool runner', async () => {
    const { client, host } = await connect([searching('tool_search', { query: 'weather' }), done], {
      ...ON,
      maxRounds: 1,
    });
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      tools: [betaTool({ ...weatherTool(), run: () => 'Rain' })],
    });
    const reasons: (string | null)[] = [];
    for await (const message of runner) reasons.push(message.stop_reason);
    expect(reasons).toEqual(['pause_turn', 'end_turn']);
    expect(host.requests[1]?.messages.map((one) => one.role)).toEqual(['user', 'assistant', 'user']);
  });

  it('renders a turn that the SDK sends back with the bytes of before', async () => {
    const { client, host } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const tools = [clock, weather, mail];
    const first = await client.messages.create({ ...COMMON, tools });
    const call = first.content.at(-1);
    const id = call?.type === 'tool_use' ? call.id : '';
    await client.messages.create({
      ...COMMON,
      tools,
      messages: [
        ...ASK,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Rain' }] },
      ],
    });
    const bytes = JSON.stringify(host.requests[1]?.messages).slice(0, -1);
    expect(JSON.stringify(host.requests[2]?.messages).slice(0, bytes.length)).toBe(bytes);
    expect(host.requests[2]?.tools).toEqual(host.requests[0]?.tools);
    expect(host.requests[2]?.messages.slice(3)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: 'toolu_call_0',
            name: 'tool_call',
            input: { name: 'get_weather', arguments: { place: 'Oslo' } },
            caller: { type: 'direct' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_call_0', content: 'Rain' }] },
    ]);
  });

  it('streams through the tool runner', async () => {
    const { client } = await connect([
      searching('tool_search', { query: 'weather' }),
      calling('tool_call', { name: 'get_weather', arguments: { place: 'Oslo' } }),
      done,
    ]);
    const runner = client.beta.messages.toolRunner({
      ...COMMON,
      stream: true,
      tools: [betaTool({ ...weatherTool(), run: () => 'Rain' })],
    });
    const texts: string[] = [];
    for await (const stream of runner) texts.push((await stream.finalMessage()).stop_reason ?? '');
    expect(texts).toEqual(['tool_use', 'end_turn']);
  });
});

function weatherTool() {
  return {
    name: 'get_weather',
    description: 'Tells the weather at a place.',
    inputSchema: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
  } as const;
}
