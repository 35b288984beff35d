import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { call, scriptMessage } from './message-script.fixture.ts';
import { bm25SearchTool, deferred, regexSearchTool } from './open.ts';
import { readSearches } from './recall.ts';
import { toolSearchMiddleware, withToolSearch } from './wrap-anthropic.ts';
import {
  ASK,
  COMMON,
  calling,
  clock,
  connect,
  done,
  mail,
  ON,
  searching,
  start,
  weather,
} from './wrapped-client.fixture.ts';

describe('withToolSearch on a host without tool search', () => {
  it('runs the search tool of a request and hands over the call it leads to', async () => {
    const { client, host } = await connect(
      [searching('tool_search_tool_regex', { query: '^get_w.*r$' }), calling('get_weather', { place: 'Oslo' })],
      { ...ON, form: 'load' },
    );
    const message = await client.messages.create({
      ...COMMON,
      tools: [regexSearchTool(), clock, deferred(weather), deferred(mail)],
    });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toEqual([
      { type: 'text', text: 'Let me look.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_call_0',
        name: 'tool_search_tool_regex',
        input: { pattern: '^get_w.*r$' },
        caller: { type: 'direct' },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_call_0',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      },
      {
        type: 'tool_use',
        id: 'toolu_call_0',
        name: 'get_weather',
        input: { place: 'Oslo' },
      },
    ]);
    expect(message.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
    });
    expect(host.requests[0]).toEqual({
      ...COMMON,
      system: expect.stringContaining('tool_search_tool_regex'),
      tools: [
        {
          name: 'tool_search_tool_regex',
          description: expect.stringContaining('Search tools that are not in your list'),
          input_schema: expect.objectContaining({
            properties: expect.objectContaining({ pattern: expect.anything() }),
          }),
        },
        clock,
      ],
    });
    expect(host.requests[1]).toEqual({
      ...host.requests[0],
      max_tokens: 995,
      tools: [...(host.requests[0]?.tools ?? []), weather],
      messages: [
        ...ASK,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            {
              type: 'tool_use',
              id: 'srvtoolu_call_0',
              name: 'tool_search_tool_regex',
              input: { pattern: '^get_w.*r$' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'srvtoolu_call_0',
              content: expect.stringContaining('get_weather'),
            },
          ],
        },
      ],
    });
  });

  it('streams the same through messages.stream, events in order', async () => {
    const { client } = await connect([searching('tool_search_tool_bm25', { query: 'weather' }), done], {
      ...ON,
      form: 'load',
    });
    const stream = client.messages.stream({ ...COMMON, tools: [bm25SearchTool(), clock, deferred(weather)] });
    const events: string[] = [];
    stream.on('streamEvent', (event) => events.push('index' in event ? `${event.type} ${event.index}` : event.type));
    const message = await stream.finalMessage();
    expect(events.filter((event) => !event.includes('delta') || event === 'message_delta')).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
    expect(message.content.map((block) => block.type)).toEqual([
      'text',
      'server_tool_use',
      'tool_search_tool_result',
      'text',
    ]);
    expect(readSearches(message)).toEqual([
      {
        id: 'srvtoolu_call_0',
        name: 'tool_search_tool_bm25',
        queries: ['weather'],
        caller: 'direct',
        outcome: { kind: 'found', names: ['get_weather'] },
      },
    ]);
  });

  it('streams through messages.create with stream: true', async () => {
    const { client } = await connect([searching('tool_search', { query: 'weather' }), done]);
    const types: string[] = [];
    const stream = await client.messages.create({ ...COMMON, stream: true, tools: [clock, weather, mail] });
    for await (const event of stream) types.push(event.type);
    expect(types.filter((type) => type === 'message_start' || type === 'message_stop')).toEqual([
      'message_start',
      'message_stop',
    ]);
  });

  it('defers tools that a request leaves to the gate, and sends them in full below the threshold', async () => {
    const { client, host } = await connect([done, done], {});
    await client.messages.create({ ...COMMON, tools: [clock, weather] });
    expect(host.requests[0]).toEqual({ ...COMMON, tools: [clock, weather] });
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...weather,
      name: `tool_${index}`,
      description: 'words '.repeat(100),
    }));
    await client.messages.create({ ...COMMON, tools: many });
    expect(host.requests[1]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('answers searches of both engines over the same tools', async () => {
    const { client, host } = await connect(
      [
        searching('tool_search_tool_regex', { pattern: '^get_weather$' }),
        done,
        searching('tool_search_tool_bm25', { query: 'what is the weather like' }),
        done,
      ],
      { ...ON, form: 'load' },
    );
    const tools = [clock, deferred(weather), deferred(mail)];
    for (const search of [regexSearchTool(), bm25SearchTool()]) {
      const message = await client.messages.create({ ...COMMON, tools: [search, ...tools] });
      expect(readSearches(message)).toMatchObject([{ outcome: { kind: 'found', names: ['get_weather'] } }]);
    }
    const asked = host.requests.map((request) => JSON.stringify(request.tools?.[0]).includes('pattern'));
    expect(asked).toEqual([true, true, false, false]);
  });

  it('counts the tokens of what would be sent', async () => {
    const { client, host } = await connect([{ status: 200, body: { input_tokens: 7 } }]);
    const counted = await client.messages.countTokens({ model: 'some-model', messages: ASK, tools: [weather, mail] });
    expect(counted.input_tokens).toBe(7);
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('removes search tools, marks and past searches from a request if nothing is deferred', async () => {
    const { client, host } = await connect([done], { ...ON, settings: { ...settings(), rule: { kind: 'off' } } });
    await client.messages.create({
      ...COMMON,
      tools: [regexSearchTool(), clock, deferred(weather)],
      messages: [
        ...ASK,
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: { pattern: 'w' } },
            {
              type: 'tool_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: { type: 'tool_search_tool_search_result', tool_references: [] },
            },
            { type: 'text', text: 'Nothing.' },
          ],
        },
        { role: 'user', content: 'Sure?' },
      ],
    });
    expect(host.requests[0]).toEqual({
      ...COMMON,
      tools: [clock, weather],
      messages: [
        ...ASK,
        { role: 'assistant', content: [{ type: 'text', text: 'Nothing.' }] },
        { role: 'user', content: 'Sure?' },
      ],
    });
  });

  it('finds tools of a catalog that no request declares', async () => {
    const { client } = await connect(
      [searching('tool_search', { query: 'weather' }), calling('get_weather', { place: 'Oslo' })],
      { ...ON, form: 'load', catalog: [weather, mail] },
    );
    const message = await client.messages.create({ ...COMMON, tools: [mail] });
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather', input: { place: 'Oslo' } });
  });

  it('finds them too on a host with a search of its own, which knows only what is declared', async () => {
    const { client, host } = await connect(
      [searching('tool_search_tool_bm25', { query: 'weather' }), calling('get_weather', { place: 'Oslo' })],
      { ...ON, transport: 'anthropic-messages', catalog: [weather] },
    );
    const message = await client.messages.create({ ...COMMON, tools: [bm25SearchTool(), clock, deferred(mail)] });
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather', input: { place: 'Oslo' } });
    expect(JSON.stringify(host.requests[1]?.tools)).toContain('get_weather');
  });

  it('declares the catalog if nothing is deferred', async () => {
    const { client, host } = await connect([done], { catalog: [weather, mail] });
    await client.messages.create({ ...COMMON, tools: [mail] });
    expect(host.requests[0]?.tools).toEqual([mail, weather]);
  });
});

describe('a conversation whose tools are no longer deferred', () => {
  it('continues with refused calls that its client was not shown', async () => {
    const refused = call('toolu_0', 'tool_call', { name: 'no_such_tool', arguments: {} });
    const { client, host } = await connect(
      [scriptMessage([refused, call('toolu_1', 'get_time', {})], 'tool_use'), done],
      { ...ON, form: 'bridge' },
    );
    const first = await client.messages.create({ ...COMMON, tools: [clock, deferred(weather)] });
    expect(first.content).toMatchObject([{ type: 'tool_use', name: 'get_time' }]);
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'noon' };
    const messages = [
      ...ASK,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ];
    await client.messages.create({ ...COMMON, messages, tools: [{ ...clock, defer_loading: false }] });
    expect(host.requests[1]?.messages.slice(1)).toMatchObject([
      {
        content: [
          { name: 'tool_call', id: 'toolu_0' },
          { name: 'get_time', id: 'toolu_1' },
        ],
      },
      { content: [{ tool_use_id: 'toolu_0', is_error: true }, result] },
    ]);
  });
});

describe('withToolSearch on a host with tool search', () => {
  const native = { ...ON, transport: 'anthropic-messages' };

  it('passes a request that asks for the host’s own search untouched', async () => {
    const { client, host } = await connect([done], native);
    const tools = [regexSearchTool(), clock, deferred(weather)];
    await client.messages.create({ ...COMMON, tools });
    expect(host.requests).toEqual([{ ...COMMON, tools }]);
  });

  it('answers with references, and sends a definition only once it is referred to', async () => {
    const { client, host } = await connect([searching('tool_search', { query: 'weather' }), done], native);
    await client.messages.create({ ...COMMON, tools: [weather, mail] });
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search']);
    expect(host.requests[1]?.tools?.slice(1)).toEqual([{ ...weather, defer_loading: true }]);
    expect(host.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'srvtoolu_call_0',
          content: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      ],
    });
  });
});

describe('toolSearchMiddleware', () => {
  it('fits into the options of a client', async () => {
    const host = await start([done]);
    const middleware = [toolSearchMiddleware({ ...ON, transport: 'unknown' })];
    const client = new Anthropic({ apiKey: 'none', baseURL: host.url, middleware });
    await client.messages.create({ ...COMMON, tools: [weather] });
    expect(host.requests[0]?.tools?.map((tool) => tool.name)).toEqual(['tool_search', 'tool_call']);
  });

  it('leaves other requests alone', async () => {
    const host = await start([{ status: 200, body: { id: 'some-model' } }]);
    const client = withToolSearch(new Anthropic({ apiKey: 'none', baseURL: host.url }), ON);
    expect(await client.models.retrieve('some-model')).toMatchObject({ id: 'some-model' });
    expect(host.requests).toHaveLength(1);
  });
});

function settings() {
  return { rule: { kind: 'on' } as const, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };
}
