import { defined } from '@quartermaster/core/internal';
import { UpstreamError } from '@quartermaster/host/upstream';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';
import { ASK, CLIENT_SEARCH, FILES, REGEX, TOOL_SEARCH, WEATHER } from './weather-request.fixture.ts';

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
    {
      why: 'a search tool is of a version that is not known',
      request: {
        ...ASK,
        tools: [{ type: 'tool_search_tool_regex_20990101', name: 'tool_search_tool_regex' }, WEATHER],
      },
      message:
        "tools.0: Input tag 'tool_search_tool_regex_20990101' does not match any of the expected tags: 'tool_search_tool_regex_20251119', 'tool_search_tool_bm25_20251119'",
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

  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['/v1/responses', { input: 'Hello' }],
  ])('400 for tools in deferred_tools, though nothing is deferred: %s', async (path, rest) => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams });
    const response = await post(path, { model: 'gpt-test', ...rest, deferred_tools: [{ name: 'lost' }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/^deferred_tools is not/) },
    });
    expect(upstreams.requests).toEqual([]);
  });

  it.each([
    ['tool_addition', { type: 'tool_definition', definition: { name: 'a', input_schema: { type: 'object' } } }],
    ['tool_addition', { type: 'mcp_tool_reference', server_name: 'crm', name: 'find' }],
    ['tool_removal', { type: 'tool_reference', name: 'get_weather' }],
  ])('a %s of %o is not dropped without a word by a host that can’t be told', async (type, tool) => {
    const messages = [...ASK.messages, { role: 'system', content: [{ type, tool }] }];
    const request = { ...ASK, messages, tools: [REGEX, WEATHER, FILES] };
    for (const [transport, status] of Object.entries({ 'openai-chat': 400, 'anthropic-messages': 200 })) {
      const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] }, { transport });
      const { post } = await runningGateway({ upstreams });
      expect((await post('/v1/messages', request)).status).toBe(status);
    }
  });

  it.each([
    ['is no object', 'get_weather', 'no tool'],
    ['is of no type', { type: { toString: 1 } }, 'no tool'],
    ['is of an endless type', { type: 'x'.repeat(5_000) }, 'x'.repeat(200)],
  ])('an addition of what %s is refused in few words', async (_, tool, kind) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const messages = [...ASK.messages, { role: 'system', content: [{ type: 'tool_addition', tool }] }];
    const response = await post('/v1/messages', { ...ASK, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: `messages: tool_addition of ${kind} is not supported for this model; change tools instead` },
    });
  });

  it.each([
    ['no input', {}, 'input: Field required'],
    [
      'an output without its call',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'function_call_output', call_id: 'c9', output: 'Rain' },
        ],
      },
      'input[1]: there is no call with the call_id c9 in input',
    ],
  ])('400 for a Responses request with %s', async (_, rest, text) => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/responses', { model: 'gpt-test', ...rest });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: text } });
    expect(upstreams.requests).toEqual([]);
  });

  it('400 for an output without its call on a host that we search for: nothing would show that it was left out', async () => {
    const upstreams = scriptedUpstreams({}, { transport: 'openai-responses' });
    const { post } = await runningGateway({ upstreams });
    const lone = { type: 'function_call_output', call_id: 'c9', output: 'Rain' };
    const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' }, defer_loading: true }];
    const response = await post('/v1/responses', { model: 'gpt-test', tools, input: [lone] });
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('call_id c9') } });
    expect(response.status).toBe(400);
    expect(upstreams.requests).toEqual([]);
  });

  it('the same tools a second time spare a request no check', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Ok.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    const tools = [TOOL_SEARCH, WEATHER];
    expect((await post('/v1/messages', { ...ASK, tools })).status).toBe(200);
    const asking = async (more: object, headers: Record<string, string> = {}) => {
      const response = await post('/v1/messages', { ...ASK, tools, ...more }, headers);
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, error.message];
    };
    const gone = JSON.parse(
      JSON.stringify(CLIENT_SEARCH).replaceAll('"tool_name":"get_weather"', '"tool_name":"gone"'),
    );
    expect(await asking({ messages: gone })).toEqual([400, expect.stringContaining("Tool reference 'gone'")]);
    expect(await asking({ messages: [...CLIENT_SEARCH.slice(0, 2), ASK.messages[0]] })).toEqual([
      400,
      expect.stringContaining('without `tool_result` blocks'),
    ]);
    expect(await asking({ thread: { type: 'create' } })).toEqual([400, expect.stringContaining('Threads')]);
    expect(await asking({ temperature: 1 }, { 'anthropic-version': '2026-10-21' })).toEqual([
      400,
      expect.stringContaining('temperature'),
    ]);
    expect(upstreams.requests).toHaveLength(1);
  });

  it.each([
    [402, 'billing_error', false],
    [403, 'permission_error', false],
    [404, 'not_found_error', false],
    [409, 'conflict_error', true],
    [413, 'request_too_large', false],
    [504, 'timeout_error', true],
  ])('a host’s %i that tells no type is a %s, and says whether to try again', async (status, type, isRetryable) => {
    const upstreams = scriptedUpstreams({ anthropic: [[upstreamError(status, 'no envelope')]] });
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/messages', ASK);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type } });
    expect(response.headers.get('x-should-retry')).toBe(String(isRetryable));
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

  it('a host that refuses the gateway’s own key is a bad gateway, and its words stay here', async () => {
    const failure = new UpstreamError({
      ...{ code: 'refused', status: 401, refusesUs: true, message: 'sk-secret is wrong' },
      body: { error: { message: 'sk-secret is wrong' } },
    });
    const { post, log } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [[failure]] }) });
    const response = await post('/v1/messages', ASK);
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { details: { error_code: 'upstream_credentials' } } });
    expect(text + JSON.stringify(log)).not.toContain('secret');
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:5173', 200],
    [undefined, 200],
  ])('without keys a page of %s that an old browser sends is answered with %i', async (origin, status) => {
    const upstreams = scriptedUpstreams({ anthropic: [message([{ text: 'Hi.' }], 'end_turn')] });
    const { post } = await runningGateway({ upstreams });
    const headers = { 'content-type': 'text/plain', ...defined({ origin }) };
    expect((await post('/v1/messages', ASK, headers)).status).toBe(status);
    expect(upstreams.requests).toHaveLength(status === 200 ? 1 : 0);
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

  it.each([
    ['answers with', [upstreamError(500, { type: 'error', error: { type: 'api_error', message: 'Oops.' } })]],
    ['streams', [{ type: 'error' as const, error: { type: 'api_error', message: 'Oops.' } }]],
  ])('a 500 that the upstream %s is no fault of the gateway’s in its log', async (_, round) => {
    const { post, log } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [round] }) });
    expect((await post('/v1/messages', ASK)).status).toBe(500);
    expect(log.at(-1)).toMatchObject({ level: 'warn', status: 500, errorType: 'api_error' });
    expect(log.at(-1)).not.toHaveProperty('error');
    expect(log.at(-1)).not.toHaveProperty('place');
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

describe('refusals of the Responses API', () => {
  const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object' } };

  it.each([
    [{ input: 42 }, 'input: Input should be a string or a list of items', 'input'],
    [{ input: { role: 'user' } }, 'input: Input should be a string or a list of items', 'input'],
    [{ input: ['Hi'] }, 'input[0]: Input should be an object', 'input[0]'],
    [{ input: [{ role: 'user', content: 'Hi' }, { content: 'Hi' }] }, 'input[1].role: Field required', 'input[1]'],
    [{ input: [{ role: 'user', content: 42 }] }, 'input[0].content: Input should be', 'input[0]'],
    [{ input: [{ type: 7 }] }, 'input[0].type: Input should be a string', 'input[0]'],
    [{ input: 'Hi', tools: [TOOL, TOOL] }, 'get_weather', null],
    [{ input: 'Hi', tools: [{ type: 'tool_search' }, { ...TOOL, defer_loading: true }, TOOL] }, 'get_weather', null],
  ])('400 for %j', async (extra, text, param) => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/responses', { model: 'gpt-test', ...extra });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(text), param } });
    expect(upstreams.requests).toEqual([]);
  });
});
