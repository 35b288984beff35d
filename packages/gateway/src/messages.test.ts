import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';

const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather at a specific location',
  input_schema: { type: 'object' as const, properties: { location: { type: 'string' } }, required: ['location'] },
  defer_loading: true,
};
const FILES = {
  name: 'search_files',
  description: 'Search through files in the workspace',
  input_schema: { type: 'object' as const, properties: { query: { type: 'string' } }, required: ['query'] },
  defer_loading: true,
};
const REGEX = { type: 'tool_search_tool_regex_20251119' as const, name: 'tool_search_tool_regex' as const };
const BM25 = { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const };

const ASK = {
  model: 'claude-test',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'What is the weather in San Francisco?' }],
};

const SEARCH_THEN_CALL = [
  message(
    [{ text: 'Let me search.' }, { call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: 'weather' } }],
    'tool_use',
  ),
  message([{ text: 'Found it.' }, { call: 'get_weather', id: 'toolu_w', input: { location: 'SF' } }], 'tool_use'),
];

const TOOL_SEARCH = {
  name: 'ToolSearch',
  description: 'Fetches definitions of deferred tools',
  input_schema: { type: 'object' as const, properties: { query: { type: 'string' } } },
};
const CLIENT_SEARCH = [
  ...ASK.messages,
  {
    role: 'assistant' as const,
    content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'ToolSearch', input: { query: 'select:get_weather' } }],
  },
  {
    role: 'user' as const,
    content: [
      {
        type: 'tool_result' as const,
        tool_use_id: 'toolu_1',
        content: [{ type: 'tool_reference' as const, tool_name: 'get_weather' }],
      },
    ],
  },
];

const namesOf = (request: { readonly tools?: readonly unknown[] | null | undefined } | undefined) =>
  request?.tools?.map((tool) => (tool as { name: string }).name);

const TRANSPORTS = ['anthropic-messages', 'openai-chat'];

describe('POST /v1/messages', () => {
  it('a request without tools is answered as the upstream answers it', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Hello.' }], 'end_turn')] });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.create(ASK);
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    expect(answer._request_id).toMatch(/^req_/);
    expect(upstreams.requests).toEqual([ASK]);
  });

  it.each(TRANSPORTS)('the search is run inside one response, over %s', async (transport) => {
    const upstreams = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL }, { transport });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.create({ ...ASK, tools: [REGEX, WEATHER, FILES] });
    expect(answer.content).toEqual([
      { type: 'text', text: 'Let me search.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_s',
        name: 'tool_search_tool_regex',
        input: { pattern: 'weather' },
        caller: { type: 'direct' },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_s',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      },
      { type: 'text', text: 'Found it.' },
      { type: 'tool_use', id: 'toolu_w', name: 'get_weather', input: { location: 'SF' }, caller: { type: 'direct' } },
    ]);
    expect(answer.stop_reason).toBe('tool_use');
    expect(answer.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
    });
    const [first, second] = upstreams.requests.map((request) =>
      request.tools?.map((tool) => (tool as { name: string }).name),
    );
    expect(first).toEqual(['tool_search_tool_regex']);
    expect(second).toEqual(['tool_search_tool_regex', 'get_weather']);
  });

  it.each(TRANSPORTS)('events come in the order of the API, without gaps, over %s', async (transport) => {
    const upstreams = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL }, { transport });
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', { ...ASK, stream: true, tools: [REGEX, WEATHER, FILES] });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    const events = (await response.text())
      .split('\n\n')
      .filter((text) => text !== '')
      .map((text) => /^event: (.+)\ndata: (.+)$/.exec(text)?.slice(1) ?? [])
      .map(([name, data]) => ({ name, data: JSON.parse(data ?? '') as Record<string, unknown> }));
    expect(events.every(({ name, data }) => name === data.type)).toBe(true);
    expect(events.map(({ name, data }) => (data.index === undefined ? name : `${name} ${data.index}`))).toEqual([
      'message_start',
      ...['content_block_start 0', 'content_block_delta 0', 'content_block_stop 0'],
      ...['content_block_start 1', 'content_block_delta 1', 'content_block_stop 1'],
      ...['content_block_start 2', 'content_block_stop 2'],
      'ping',
      ...['content_block_start 3', 'content_block_delta 3', 'content_block_stop 3'],
      ...['content_block_start 4', 'content_block_delta 4', 'content_block_stop 4'],
      ...['message_delta', 'message_stop'],
    ]);
  });

  it('the SDK reads the stream into the same message', async () => {
    const upstreams = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.stream({ ...ASK, tools: [REGEX, WEATHER, FILES] }).finalMessage();
    expect(answer.content.map(({ type }) => type)).toEqual([
      ...['text', 'server_tool_use', 'tool_search_tool_result', 'text', 'tool_use'],
    ]);
    expect(answer.content[1]).toMatchObject({ input: { pattern: 'weather' } });
    expect(answer.usage.output_tokens).toBe(10);
  });

  it('the text variant searches by words', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [
        message(
          [{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'weather at a location' } }],
          'tool_use',
        ),
        message([{ text: 'Done.' }], 'end_turn'),
      ],
    });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.create({ ...ASK, tools: [BM25, WEATHER, FILES] });
    expect(answer.content[1]).toMatchObject({
      type: 'tool_search_tool_result',
      content: { tool_references: [{ tool_name: 'get_weather' }] },
    });
  });

  it('the tool runner completes a task, which needs the refusal of threads', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [...SEARCH_THEN_CALL, message([{ text: 'It is sunny.' }], 'end_turn')],
    });
    const { anthropic } = await runningGateway({ upstreams });
    const asked: unknown[] = [];
    const runner = anthropic.beta.messages.toolRunner({
      ...ASK,
      tools: [
        REGEX,
        {
          ...WEATHER,
          parse: (input: unknown) => input,
          run: async (input: unknown) => {
            asked.push(input);
            return 'sunny';
          },
        },
      ],
    });
    const answer = await runner;
    expect(asked).toEqual([{ location: 'SF' }]);
    expect(answer.content).toEqual([{ type: 'text', text: 'It is sunny.' }]);
    // What was found in the first turn is there in the second, without a search.
    expect(upstreams.requests[2]?.tools?.map((tool) => (tool as { name: string }).name)).toContain('get_weather');
  });

  it('at the limit of rounds the response pauses, and goes on when it is sent back', async () => {
    const search = (id: string) =>
      message([{ call: 'tool_search_tool_regex', id, input: { pattern: 'weather' } }], 'tool_use');
    const upstreams = scriptedUpstreams({
      anthropic: [search('toolu_1'), search('toolu_2'), message([{ text: 'Done.' }], 'end_turn')],
    });
    const { anthropic } = await runningGateway({ upstreams, settings: { maxRounds: 2 } });
    const tools = [REGEX, WEATHER, FILES];
    const paused = await anthropic.messages.create({ ...ASK, tools });
    expect(paused.stop_reason).toBe('pause_turn');
    const messages = [...ASK.messages, { role: 'assistant' as const, content: paused.content }];
    const done = await anthropic.messages.create({ ...ASK, messages, tools });
    expect(done.content).toEqual([{ type: 'text', text: 'Done.' }]);
  });

  it("a client's own search passes untouched where the host knows references", async () => {
    const upstreams = scriptedUpstreams(
      { anthropic: [message([{ text: 'Ok.' }], 'end_turn')] },
      { transport: 'anthropic-messages' },
    );
    const { anthropic } = await runningGateway({ upstreams });
    const request = { ...ASK, messages: CLIENT_SEARCH, tools: [TOOL_SEARCH, WEATHER] };
    await anthropic.messages.create(request);
    expect(upstreams.requests).toEqual([request]);
  });

  it("a client's own search is written out for a host that knows none", async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const { anthropic } = await runningGateway({ upstreams });
    await anthropic.messages.create({ ...ASK, messages: CLIENT_SEARCH, tools: [TOOL_SEARCH, FILES, WEATHER] });
    const sent = upstreams.requests[0];
    expect(sent?.tools?.map((tool) => (tool as { name: string }).name)).toEqual(['ToolSearch', 'get_weather']);
    expect(JSON.stringify(sent)).not.toContain('tool_reference');
    expect(JSON.stringify(sent)).not.toContain('defer_loading');
    expect(JSON.stringify(sent?.messages)).toContain('<functions>');
  });

  it('with automatic deferral the gate decides for clients that know nothing of tool search', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([{ call: 'tool_search', id: 'toolu_s', input: { query: 'weather' } }], 'tool_use'),
        message([{ call: 'get_weather', id: 'toolu_w', input: { location: 'SF' } }], 'tool_use'),
      ],
    });
    const gate = { rule: { kind: 'on' as const }, search: { defaultLimit: 5, maxLimit: 20 }, pins: ['search_*'] };
    const { anthropic } = await runningGateway({ upstreams, settings: { deferral: 'auto', gate } });
    const tools = [WEATHER, FILES].map(({ defer_loading: _, ...tool }) => tool);
    const answer = await anthropic.messages.create({ ...ASK, tools });
    expect(answer.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather' });
    expect(namesOf(upstreams.requests[0])).toEqual(['tool_search', 'search_files']);
  });

  it.each([
    ['marks tools', [FILES, { ...TOOL_SEARCH, name: 'other' }]],
    ['brings a search of its own', [TOOL_SEARCH, { ...FILES, defer_loading: false }]],
  ])('automatic deferral leaves a request alone that %s', async (_, tools) => {
    const upstreams = scriptedUpstreams(
      { anthropic: [message([{ text: 'Ok.' }], 'end_turn')] },
      { transport: 'anthropic-messages' },
    );
    const gate = { rule: { kind: 'on' as const }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };
    const { anthropic } = await runningGateway({ upstreams, settings: { deferral: 'auto', gate } });
    await anthropic.messages.create({ ...ASK, tools });
    expect(upstreams.requests[0]?.tools).toEqual(tools);
  });

  it('the model-visible bytes before the first message are the same in every turn', async () => {
    const upstreams = scriptedUpstreams(
      { anthropic: [...SEARCH_THEN_CALL, message([{ text: 'Sunny.' }], 'end_turn')] },
      { transport: 'anthropic-messages' },
    );
    const { anthropic } = await runningGateway({ upstreams });
    const request = { ...ASK, system: 'Be brief.', tools: [REGEX, WEATHER, FILES] };
    const first = await anthropic.messages.create(request);
    const call = first.content.at(-1) as { id: string };
    await anthropic.messages.create({
      ...request,
      messages: [
        ...ASK.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }] },
      ],
    });
    const prefixes = upstreams.requests.map(({ system, tools }) =>
      // A deferred definition crosses the wire, but stands before no message: it is read where it is referenced.
      JSON.stringify([system, tools?.filter((tool) => (tool as { defer_loading?: boolean }).defer_loading !== true)]),
    );
    expect(new Set(prefixes).size).toBe(1);
  });

  it("a server's tools are passed on to a host that has the connector, and refused for any other", async () => {
    const request = {
      ...ASK,
      mcp_servers: [{ type: 'url', name: 'crm', url: 'https://crm.example' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'crm' }],
    };
    const upstreams = scriptedUpstreams(
      { anthropic: [message([{ text: 'Ok.' }], 'end_turn')] },
      { transport: 'anthropic-messages' },
    );
    const { post } = await runningGateway({ upstreams });
    expect((await post('/v1/messages', request)).status).toBe(200);
    expect(upstreams.requests).toEqual([request]);
    const other = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await other.post('/v1/messages', request)).status).toBe(400);
  });

  it('system messages, unknown fields and unknown betas are no reason to refuse', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    const request = {
      ...ASK,
      messages: [...ASK.messages, { role: 'system', content: 'Be brief.' }],
      context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
      output_config: { effort: 'high' },
      thinking: { type: 'adaptive', display: 'updates' },
      something_new: { a: 1 },
    };
    const response = await post('/v1/messages?beta=true', request, { 'anthropic-beta': 'never-heard-of-2030-01-01' });
    expect(response.status).toBe(200);
    expect(upstreams.requests).toEqual([request]);
    expect(upstreams.headers[0]?.get('anthropic-beta')).toBe('never-heard-of-2030-01-01');
  });
});

describe('refusals of the Messages API', () => {
  it.each([
    {
      why: 'every tool is deferred',
      request: { ...ASK, tools: [WEATHER, FILES] },
      message: 'All tools have defer_loading set. At least one tool must be non-deferred.',
    },
    {
      why: 'a reference names an unknown tool',
      request: { ...ASK, messages: CLIENT_SEARCH, tools: [TOOL_SEARCH] },
      message: "Tool reference 'get_weather' has no corresponding tool definition",
    },
    {
      why: 'a call has no result',
      request: { ...ASK, messages: [...CLIENT_SEARCH.slice(0, 2), ASK.messages[0]], tools: [TOOL_SEARCH] },
      message:
        'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    },
    { why: 'there is no model', request: { ...ASK, model: undefined }, message: 'model: Field required' },
    {
      why: 'there are too many tools',
      request: { ...ASK, tools: Array.from({ length: 10_001 }, (_, index) => ({ ...WEATHER, name: `t${index}` })) },
      message: 'tools: at most 10000 tools are allowed',
    },
    { why: 'the body is a list', request: [ASK], message: 'The request body is not a JSON object' },
    { why: 'the body is no JSON', request: '{"model":', message: 'The request body is not valid JSON' },
    {
      why: 'the tools are no JSON',
      request: '{"model":"m","tools":[{"name":}],"messages":[]}',
      message: 'The request body is not valid JSON',
    },
  ])('400 because $why', async ({ request, message: text }) => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', request);
    expect(response.status).toBe(400);
    const body = (await response.json()) as { request_id: string };
    expect(body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: text },
      request_id: response.headers.get('request-id'),
    });
    expect(upstreams.requests).toEqual([]);
  });

  it('the later version refuses sampling settings, the earlier one takes them', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    const request = { ...ASK, temperature: 0.5 };
    expect((await post('/v1/messages', request, { 'anthropic-version': '2026-10-21' })).status).toBe(400);
    expect((await post('/v1/messages', request, { 'anthropic-version': '2023-06-01' })).status).toBe(200);
  });

  it('threads are refused with the codes that make the SDK fall back', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const created = await post('/v1/messages', { ...ASK, thread: { type: 'create' } });
    expect(created.status).toBe(400);
    expect(await created.json()).toMatchObject({
      error: { details: { error_code: 'thread_unsupported_request', unsupported: [] } },
    });
    const continued = await post('/v1/messages', {
      ...ASK,
      thread: { type: 'continue', previous_message_id: 'msg_1' },
      messages: [],
    });
    expect(continued.status).toBe(404);
    expect(await continued.json()).toMatchObject({ error: { details: { error_code: 'thread_not_found' } } });
  });

  it('a model that no upstream takes is not found', async () => {
    const { anthropic } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    await expect(anthropic.messages.create({ ...ASK, model: 'unknown-model' })).rejects.toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
  });

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])("an upstream's %i before the first part is the answer, streaming or not", async (status, type) => {
    const failure = upstreamError(status, { type: 'error', error: { type, message: 'Not now.' } });
    const upstreams = scriptedUpstreams({ anthropic: [[failure], [failure]] });
    const { anthropic } = await runningGateway({ upstreams });
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status, type });
    await expect(anthropic.messages.stream(ASK).finalMessage()).rejects.toMatchObject({ status, type });
  });

  it('an error after the stream began is an event, and what came before has arrived', async () => {
    const failure = upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Too busy.' } });
    const upstreams = scriptedUpstreams({
      anthropic: [[...message([{ text: 'Hal' }], 'end_turn').slice(0, 3), failure]],
    });
    const { anthropic } = await runningGateway({ upstreams });
    const texts: string[] = [];
    const stream = anthropic.messages.stream(ASK).on('text', (text) => texts.push(text));
    await expect(stream.finalMessage()).rejects.toMatchObject({ type: 'overloaded_error' });
    expect(texts).toEqual(['Hal']);
  });

  it('an unforeseen failure tells the client nothing, and the log where it was', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [[new TypeError('secret words')]] });
    const { post, log } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', ASK);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { type: 'api_error', message: 'Internal error' } });
    expect(log.at(-1)).toMatchObject({ level: 'error', error: 'TypeError' });
    expect(JSON.stringify(log)).not.toContain('secret words');
  });
});

describe('the errors of searches', () => {
  it.each([
    ['typed', 'invalid_tool_input'],
    ['documented', 'invalid_pattern'],
  ] as const)('%s codes', async (errorCodes, code) => {
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([{ call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: '(' } }], 'tool_use'),
        message([{ text: 'Sorry.' }], 'end_turn'),
      ],
    });
    const { anthropic } = await runningGateway({ upstreams, settings: { errorCodes } });
    const answer = await anthropic.messages.create({ ...ASK, tools: [REGEX, WEATHER] });
    expect(answer.content[1]).toMatchObject({
      content: { type: 'tool_search_tool_result_error', error_code: code },
    });
  });
});
