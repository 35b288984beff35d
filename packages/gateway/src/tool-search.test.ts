import type { AnthropicEvent } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, BM25, FILES, REGEX, TRANSPORTS, WEATHER } from './weather-request.fixture.ts';

/** Each of its words stands in one place only. */
const SOUGHT = {
  name: 'book_trip',
  description: 'Reserve a seat',
  input_schema: {
    type: 'object' as const,
    properties: { destination: { type: 'string', description: 'Where the voyager wants to go' } },
  },
  defer_loading: true,
};

const PLACES = [
  { place: 'name', word: 'trip' },
  { place: 'description', word: 'seat' },
  { place: 'parameter', word: 'destination' },
  { place: 'parameter’s description', word: 'voyager' },
];

const VARIANTS = [
  { search: REGEX, key: 'pattern' },
  { search: { ...REGEX, type: 'tool_search_tool_regex' as const }, key: 'pattern' },
  { search: BM25, key: 'query' },
  { search: { ...BM25, type: 'tool_search_tool_bm25' as const }, key: 'query' },
];

interface Found {
  readonly type: string;
  readonly content?: { readonly tool_references?: readonly object[]; readonly error_code?: string };
}

/** Lets the model search once with this input, and gives the blocks of the answer. */
async function searchWith(
  tools: readonly object[],
  input: object,
  options: { readonly name: string; readonly settings?: object; readonly transport?: string },
): Promise<readonly Found[]> {
  const { name, settings = {}, transport = 'openai-chat' } = options;
  const rounds = [message([{ call: name, id: 'toolu_s', input }], 'tool_use'), message([{ text: 'Ok.' }], 'end_turn')];
  const upstreams = scriptedUpstreams({ anthropic: rounds }, { transport });
  const { post } = await runningGateway({ upstreams, settings });
  const response = await post('/v1/messages', { ...ASK, tools });
  expect(response.status).toBe(200);
  return ((await response.json()) as { content: readonly Found[] }).content;
}

describe.each(VARIANTS)('a search tool of type $search.type', ({ search, key }) => {
  it.each(PLACES)('finds a tool by a word of its $place', async ({ word }) => {
    const content = await searchWith([search, WEATHER, SOUGHT, FILES], { [key]: word }, search);
    expect(content).toMatchObject([
      { type: 'server_tool_use', name: search.name, input: { [key]: word }, caller: { type: 'direct' } },
      { type: 'tool_search_tool_result', content: { tool_references: [{ tool_name: 'book_trip' }] } },
      { type: 'text' },
    ]);
    expect(content[1]?.content?.tool_references).toHaveLength(1);
  });

  it('refers to five tools at the most, whatever limit the model asks for', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ ...SOUGHT, name: `book_trip_${index}` }));
    const content = await searchWith([search, ...many], { [key]: 'trip', limit: 50 }, search);
    expect(content[1]?.content?.tool_references).toHaveLength(5);
    const two = await searchWith([search, ...many], { [key]: 'trip', limit: 2 }, search);
    expect(two[1]?.content?.tool_references).toHaveLength(2);
  });
});

describe('both search tools in one request', () => {
  const tools = [BM25, REGEX, WEATHER, SOUGHT, FILES];

  it.each(TRANSPORTS)('reach the model, each with its own input, over %s', async (transport) => {
    const calls = [
      { call: BM25.name, id: 'toolu_b', input: { query: 'weather' } },
      { call: REGEX.name, id: 'toolu_r', input: { pattern: '^book_' } },
    ];
    const rounds = [message(calls, 'tool_use'), message([{ text: 'Ok.' }], 'end_turn')];
    const upstreams = scriptedUpstreams({ anthropic: rounds }, { transport });
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', { ...ASK, tools });
    const { content } = (await response.json()) as { content: readonly object[] };
    expect(upstreams.requests[0]?.tools?.slice(0, 2)).toMatchObject([
      { name: BM25.name, input_schema: { properties: { query: {} } } },
      { name: REGEX.name, input_schema: { properties: { pattern: {} } } },
    ]);
    const found = (tool_name: string) => ({ content: { tool_references: [{ tool_name }] } });
    expect(content).toMatchObject([
      { type: 'server_tool_use', name: BM25.name, input: { query: 'weather' } },
      { type: 'server_tool_use', name: REGEX.name, input: { pattern: '^book_' } },
      { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_b', ...found('get_weather') },
      { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_r', ...found('book_trip') },
      { type: 'text' },
    ]);
    expect(upstreams.requests[1]?.messages.at(-2)).toMatchObject({
      content: [
        { type: 'tool_use', name: BM25.name },
        { type: 'tool_use', name: REGEX.name },
      ],
    });
  });

  it('can be forced, either of them', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    await post('/v1/messages', { ...ASK, tools, tool_choice: { type: 'tool', name: REGEX.name } });
    expect(upstreams.requests[0]?.tool_choice).toEqual({ type: 'tool', name: REGEX.name });
  });
});

describe('a search that a host makes up', () => {
  /** What a host says of a call that nothing has answered. */
  const madeUp = (name: string): readonly AnthropicEvent[] => {
    const [start, ...ending] = message([{ text: 'Let me look.' }], 'end_turn');
    const delta = { type: 'input_json_delta', partial_json: '{"query":"weather"}' };
    const made: AnthropicEvent[] = [
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'server_tool_use', id: 'srvtoolu_x', name, input: {} },
      },
      { type: 'content_block_delta', index: 1, delta },
      { type: 'content_block_stop', index: 1 },
    ];
    const close = ending.findIndex(({ type }) => type === 'message_delta');
    return [start, ...ending.slice(0, close), ...made, ...ending.slice(close)].filter((one) => one !== undefined);
  };
  const asked = async (name: string, stream: boolean, tools: readonly object[] = []) => {
    const upstreams = scriptedUpstreams({ anthropic: [madeUp(name), message([{ text: 'Ok.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', { ...ASK, stream, tools: [BM25, WEATHER, FILES, ...tools] });
    return { text: await response.text(), requests: upstreams.requests };
  };

  it.each([true, false])('is run by us and answered, streaming %s', async (stream) => {
    const { text, requests } = await asked('tool_search_tool_bm25', stream);
    expect(requests).toHaveLength(2);
    expect(text).toContain('"tool_search_tool_search_result"');
    expect(text).toContain('"tool_name":"get_weather"');
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'tool_result' }] });
  });

  it.each([true, false])('of a server tool that the request has not is refused, streaming %s', async (stream) => {
    const { text, requests } = await asked('web_search', stream);
    expect(text).not.toContain('server_tool_use"');
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', is_error: true, content: expect.stringContaining('web_search') }],
    });
  });

  it('of a server tool that the request has is the business of its host', async () => {
    const { text, requests } = await asked('web_search', false, [{ type: 'web_search_20250305', name: 'web_search' }]);
    expect(text).toContain('"web_search"');
    expect(requests).toHaveLength(1);
  });
});

describe('a search of the regular expression kind', () => {
  it('takes `query` where the model writes that, and shows `pattern`', async () => {
    const content = await searchWith([REGEX, WEATHER, FILES], { query: 'weather' }, REGEX);
    expect(content).toMatchObject([
      { type: 'server_tool_use', input: { pattern: 'weather' } },
      { content: { tool_references: [{ tool_name: 'get_weather' }] } },
      {},
    ]);
  });

  it.each([
    { why: 'a pattern that is none', pattern: '(', documented: 'invalid_pattern' },
    { why: 'a pattern of 201 characters', pattern: 'a'.repeat(201), documented: 'pattern_too_long' },
  ])('fails inside the answer for $why, with the code that was asked for', async ({ pattern, documented }) => {
    for (const [errorCodes, code] of Object.entries({ typed: 'invalid_tool_input', documented })) {
      const content = await searchWith([REGEX, WEATHER], { pattern }, { ...REGEX, settings: { errorCodes } });
      expect(content.slice(1)).toEqual([
        {
          type: 'tool_search_tool_result',
          tool_use_id: 'srvtoolu_s',
          content: { type: 'tool_search_tool_result_error', error_code: code, error_message: expect.any(String) },
        },
        { type: 'text', text: 'Ok.' },
      ]);
    }
  });

  it('takes a pattern of 200 characters', async () => {
    const pattern = `weather|${'a'.repeat(192)}`;
    const content = await searchWith([REGEX, WEATHER, FILES], { pattern }, REGEX);
    expect(content[1]).toMatchObject({ content: { tool_references: [{ tool_name: 'get_weather' }] } });
  });
});

describe.each(TRANSPORTS)('a round with a search and a call of the client’s, over %s', (transport) => {
  it('finishes the search, keeps the order of the calls, and leaves the call to the client', async () => {
    const now = { name: 'now', input_schema: { type: 'object' as const } };
    const round = message(
      [
        { call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'weather' } },
        { call: 'now', id: 'toolu_n', input: {} },
      ],
      'tool_use',
    );
    const upstreams = scriptedUpstreams({ anthropic: [round, round] }, { transport });
    const { anthropic } = await runningGateway({ upstreams });
    const request = { ...ASK, tools: [BM25, now, WEATHER] };
    const types = (content: readonly { type: string }[]) => content.map(({ type }) => type);
    const whole = await anthropic.messages.create(request);
    expect(types(whole.content)).toEqual(['server_tool_use', 'tool_use', 'tool_search_tool_result']);
    expect(whole.stop_reason).toBe('tool_use');
    const streamed = await anthropic.messages.stream(request).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(upstreams.requests).toHaveLength(2);
  });
});
