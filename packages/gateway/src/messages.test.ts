import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import {
  ASK,
  BM25,
  CLIENT_SEARCH,
  FILES,
  namesOf,
  REGEX,
  SEARCH_THEN_CALL,
  TOOL_SEARCH,
  TRANSPORTS,
  WEATHER,
} from './weather-request.fixture.ts';

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
    const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
    const delta = (index: number, type: string, piece: object) => ({
      ...{ type: 'content_block_delta', index },
      delta: { type, ...piece },
    });
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    const caller = { type: 'direct' };
    expect(events.map(({ data }) => data)).toEqual([
      {
        type: 'message_start',
        message: {
          ...{ id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-test', content: [] },
          ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
        },
      },
      ...[start(0, { type: 'text', text: '' }), delta(0, 'text_delta', { text: 'Let me search.' }), stop(0)],
      start(1, { type: 'server_tool_use', id: 'srvtoolu_s', name: 'tool_search_tool_regex', input: {}, caller }),
      ...[delta(1, 'input_json_delta', { partial_json: '{"pattern":"weather"}' }), stop(1)],
      start(2, {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_s',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      }),
      stop(2),
      { type: 'ping' },
      ...[start(3, { type: 'text', text: '' }), delta(3, 'text_delta', { text: 'Found it.' }), stop(3)],
      start(4, { type: 'tool_use', id: 'toolu_w', name: 'get_weather', input: {}, caller }),
      ...[delta(4, 'input_json_delta', { partial_json: '{"location":"SF"}' }), stop(4)],
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: {
          ...{ input_tokens: 20, output_tokens: 10 },
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 1 },
        },
      },
      { type: 'message_stop' },
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

  it('a search that the token limit has cut is not run, and the response says why it ended', async () => {
    const cut = message([{ text: 'Let me' }, { call: 'tool_search_tool_regex', id: 's', input: {} }], 'max_tokens');
    const upstreams = scriptedUpstreams({ anthropic: [cut] });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.create({ ...ASK, tools: [REGEX, WEATHER, FILES] });
    expect(answer.content).toEqual([{ type: 'text', text: 'Let me' }]);
    expect(answer.stop_reason).toBe('max_tokens');
    expect(answer.usage.server_tool_use).toBeUndefined();
    expect(upstreams.requests).toHaveLength(1);
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
