import { defined } from '@quartermaster/core/internal';
import { type ChatChunk, chatWhole } from '@quartermaster/wires/openai-chat';
import { type ResponsesEvent, responsesWhole } from '@quartermaster/wires/openai-responses';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the weather at a specific location',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  },
};
const FILES = {
  type: 'function' as const,
  function: {
    name: 'search_files',
    description: 'Search through files',
    parameters: { type: 'object', properties: {} },
  },
};
const ASK = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'What is the weather in Paris?' }] };

interface ChatTurn {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: unknown };
}

function chunks({ text, call }: ChatTurn): readonly ChatChunk[] {
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };
  const delta = {
    role: 'assistant',
    ...defined({ content: text }),
    ...(call === undefined
      ? {}
      : {
          tool_calls: [
            {
              index: 0,
              id: 'call_0',
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.input) },
            },
          ],
        }),
  };
  return [
    { ...frame, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...frame, choices: [{ index: 0, delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' }] },
    { ...frame, choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  ];
}

const CHAT_SEARCH = [
  chunks({ call: { name: 'tool_search', input: { query: 'weather at a location' } } }),
  chunks({ call: { name: 'tool_call', input: { name: 'get_weather', arguments: { location: 'Paris' } } } }),
];

const names = (request: { tools?: readonly unknown[] | null | undefined } | undefined) =>
  request?.tools?.map((tool) => (tool as typeof WEATHER).function.name);

describe('POST /v1/chat/completions', () => {
  it('a request without tools is sent as it came', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'Sunny.' })] });
    const { post } = await runningGateway({ upstreams });
    const request = { ...ASK, temperature: 0.5, something_new: { a: 1 } };
    expect((await post('/v1/chat/completions', request)).status).toBe(200);
    expect(upstreams.requests).toEqual([request]);
  });

  it('unmarked tools are sent unchanged', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'Sunny.' })] });
    const { openai } = await runningGateway({ upstreams });
    const answer = await openai.chat.completions.create({ ...ASK, tools: [WEATHER, FILES] });
    expect(answer.choices[0]?.message.content).toBe('Sunny.');
    expect(names(upstreams.requests[0])).toEqual(['get_weather', 'search_files']);
  });

  it.each([false, true])(
    'marked tools are found by the model and called under their own name, streaming: %s',
    async (isStream) => {
      const upstreams = scriptedUpstreams({ chat: CHAT_SEARCH });
      const { openai } = await runningGateway({ upstreams });
      const tools = [WEATHER, FILES].map((tool) => ({ ...tool, defer_loading: true }));
      const message = isStream
        ? (await openai.chat.completions.stream({ ...ASK, tools }).finalChatCompletion()).choices[0]?.message
        : (await openai.chat.completions.create({ ...ASK, tools })).choices[0]?.message;
      expect(message?.tool_calls).toMatchObject([
        { type: 'function', function: { name: 'get_weather', arguments: '{"location":"Paris"}' } },
      ]);
      expect(names(upstreams.requests[0])).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    },
  );

  it.each([
    [2, 2],
    [7, 7],
    [50, 9],
    ['3', 5],
  ])('a search returns as many tools as the client asks for, within the settings: %j', async (max_results, count) => {
    const upstreams = scriptedUpstreams({
      chat: [chunks({ call: { name: 'tool_search', input: { query: 'weather' } } }), chunks({ text: 'Sunny.' })],
    });
    const search = { defaultLimit: 5, maxLimit: 9 };
    const { post } = await runningGateway({ upstreams, settings: { gate: { ...AUTOMATIC.gate, search } } });
    const tools = Array.from({ length: 12 }, (_, index) => ({
      ...{ ...WEATHER, function: { ...WEATHER.function, name: `get_weather_${index}` }, defer_loading: true },
    }));
    await post('/v1/chat/completions', {
      ...ASK,
      tools: [{ type: 'openrouter:tool_search', parameters: { max_results } }, ...tools],
    });
    const told = JSON.stringify(upstreams.requests[1]?.messages?.at(-1));
    expect(told.match(/get_weather_\d+\(/g)).toHaveLength(count);
  });

  it.each([
    ['of odd characters', 'weather.now'],
    ['of 100 characters', 'w'.repeat(100)],
  ])('a tool with a name %s is declared by one that every host takes, and called by its own', async (_, name) => {
    const tool = { ...WEATHER, function: { ...WEATHER.function, name } };
    const declared: string[] = [];
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({
      upstreams: {
        ...upstreams,
        async resolve(model) {
          const upstream = await upstreams.resolve(model);
          if (upstream === undefined) return undefined;
          // A model calls what it was shown.
          const answer = async (request: { tools?: readonly unknown[] | null }) => {
            declared.push(...(names(request) ?? []));
            return chatWhole.fromParts(chunks({ call: { name: declared[0] ?? '', input: {} } }));
          };
          const exchange = { ...(await upstream.for('openai-chat')), whole: answer, forClient: () => exchange };
          return { ...upstream, for: async () => exchange as never };
        },
      },
    });
    const response = await post('/v1/chat/completions', { ...ASK, tools: [tool, FILES] });
    expect(declared).toEqual([expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), 'search_files']);
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name } }] }, finish_reason: 'tool_calls' }],
    });
  });

  it('deferral can be left to the gate', async () => {
    const upstreams = scriptedUpstreams({ chat: CHAT_SEARCH });
    const gate = { rule: { kind: 'on' as const }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };
    const { openai } = await runningGateway({ upstreams, settings: { deferral: 'auto', gate } });
    const answer = await openai.chat.completions.create({ ...ASK, tools: [WEATHER, FILES] });
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    expect(upstreams.requests).toHaveLength(2);
  });

  it.each([
    ['in front of a search', CHAT_SEARCH, [{ ...WEATHER, defer_loading: true }]],
    ['where there is none', [chunks({ text: 'Sunny.' })], [FILES]],
  ])('a key’s tokens are counted in a stream whose client does not ask for them, %s', async (_, chat, tools) => {
    const upstreams = scriptedUpstreams({ chat });
    const { post, store } = await runningGateway({ upstreams });
    const limits = { tokensPerMinute: 15 };
    const { secret } = await store.keys.create({ name: 'limited', models: ['*'], catalogs: ['*'], limits });
    const ask = () => post('/v1/chat/completions', { ...ASK, tools, stream: true }, { 'x-api-key': secret });
    const text = await (await ask()).text();
    expect(text).toMatch(/"finish_reason":"(?:stop|tool_calls)"/);
    expect(text).not.toContain('"choices":[]');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(upstreams.requests[0]).toMatchObject({ stream_options: { include_usage: true } });
    expect((await ask()).status).toBe(429);
  });

  it.each(['tokensPerDay', 'tokensPerMonth'])('a budget of %s holds for streams too', async (limit) => {
    const { post, store } = await runningGateway({
      upstreams: scriptedUpstreams({ chat: [chunks({ text: 'Sunny.' })] }),
    });
    const permissions = { models: ['*'], catalogs: ['*'], limits: { [limit]: 15 } };
    const { secret } = await store.keys.create({ name: 'limited', ...permissions });
    const ask = () => post('/v1/chat/completions', { ...ASK, stream: true }, { 'x-api-key': secret });
    await (await ask()).text();
    expect((await ask()).status).toBe(429);
  });

  it('a name of a model that no host has is refused, before anything keeps it', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({ chat: [] }) });
    for (const path of ['/v1/chat/completions', '/v1/embeddings']) {
      const response = await post(path, { ...ASK, model: 'm'.repeat(3_000), input: 'x' });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('2048 characters');
    }
  });

  it('nothing is asked of the host for a key without such a limit', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'Sunny.' })] });
    const { post } = await runningGateway({ upstreams });
    const text = await (await post('/v1/chat/completions', { ...ASK, stream: true })).text();
    expect(upstreams.requests).toEqual([{ ...ASK, stream: true }]);
    expect(text).toContain('"choices":[]');
  });

  it("errors have OpenAI's envelope", async () => {
    const failure = upstreamError(429, { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit' } });
    const upstreams = scriptedUpstreams({ chat: [[failure]] });
    const { openai, post } = await runningGateway({ upstreams });
    await expect(openai.chat.completions.create(ASK)).rejects.toMatchObject({ status: 429, type: 'requests' });
    const response = await post('/v1/chat/completions', { messages: ASK.messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: 'model: Field required', type: 'invalid_request_error', param: null, code: null },
    });
  });

  it.each([
    { refused: { param: 'messages', code: 'context_length_exceeded' }, told: {} },
    { refused: { param: null, code: 429 }, told: { param: null, code: null } },
    { refused: { param: ['messages'], code: 'x'.repeat(5_000) }, told: { param: null, code: null } },
  ])('a host says what it refuses and why, $refused', async ({ refused, told }) => {
    const failure = upstreamError(400, { error: { message: 'Too long.', type: 'invalid_request_error', ...refused } });
    const [begun] = chunks({ text: 'Hal' });
    if (begun === undefined) throw new Error('There is no chunk');
    const upstreams = scriptedUpstreams({ chat: [[failure], [begun, failure]] });
    const { post } = await runningGateway({ upstreams });
    const expected = { error: { message: 'Too long.', type: 'invalid_request_error', ...refused, ...told } };
    const response = await post('/v1/chat/completions', ASK);
    expect([response.status, await response.json()]).toEqual([400, expected]);
    const streamed = await (await post('/v1/chat/completions', { ...ASK, stream: true })).text();
    expect(streamed).toContain(`data: ${JSON.stringify(expected)}\n\n`);
  });

  it('several choices at once are refused where we search, and passed on where we do not', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'One.' })] });
    const { post } = await runningGateway({ upstreams });
    const marked = [{ ...WEATHER, defer_loading: true }, FILES];
    expect((await post('/v1/chat/completions', { ...ASK, n: 2, tools: marked })).status).toBe(400);
    expect((await post('/v1/chat/completions', { ...ASK, n: 2, tools: [FILES] })).status).toBe(200);
  });
});

interface ResponsesTurn {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: unknown };
}

function events({ text, call }: ResponsesTurn): readonly ResponsesEvent[] {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
  return responsesWhole.toParts({
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-test' },
    output: [
      ...(text === undefined ? [] : [{ ...message, content: [{ type: 'output_text', text, annotations: [] }] }]),
      ...(call === undefined
        ? []
        : [
            {
              ...{ type: 'function_call', id: 'fc_1', call_id: 'call_0', status: 'completed' },
              name: call.name,
              arguments: JSON.stringify(call.input),
            },
          ]),
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  });
}

const FUNCTION = { type: 'function' as const, strict: false, ...WEATHER.function };

const AUTOMATIC = {
  deferral: 'auto' as const,
  gate: { rule: { kind: 'on' as const }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
};

describe('automatic deferral and OpenAI’s clients', () => {
  const own = { type: 'function', function: { name: 'tool_search', parameters: { type: 'object' } } };

  it('does not change a chat that has its own search', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'Ok.' })] });
    const { post } = await runningGateway({ upstreams, settings: AUTOMATIC });
    expect((await post('/v1/chat/completions', { ...ASK, tools: [own, WEATHER, FILES] })).status).toBe(200);
    expect(names(upstreams.requests[0])).toEqual(['tool_search', 'get_weather', 'search_files']);
  });

  it('holds back only what is marked where a chat marks anything', async () => {
    const upstreams = scriptedUpstreams({ chat: [chunks({ text: 'Ok.' })] });
    const { post } = await runningGateway({ upstreams, settings: AUTOMATIC });
    const tools = [{ ...WEATHER, defer_loading: true }, FILES];
    expect((await post('/v1/chat/completions', { ...ASK, tools })).status).toBe(200);
    expect(names(upstreams.requests[0])).toEqual(['tool_search', 'tool_describe', 'tool_call', 'search_files']);
  });

  it('follows the policies of the settings, whatever the gate says', async () => {
    const upstreams = scriptedUpstreams({ chat: CHAT_SEARCH });
    const policies = { patterns: { 'get_*': 'always' as const } };
    const { openai } = await runningGateway({ upstreams, settings: { deferral: 'auto', policies } });
    const answer = await openai.chat.completions.create({ ...ASK, tools: [WEATHER, FILES] });
    expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }]);
    expect(names(upstreams.requests[0])).toEqual(['tool_search', 'tool_describe', 'tool_call', 'search_files']);
  });

  it('gives the Responses API a search too, where its client knows none', async () => {
    const upstreams = scriptedUpstreams({
      responses: [
        events({ call: { name: 'tool_search', input: { query: 'weather at a location' } } }),
        events({ call: { name: 'tool_call', input: { name: 'get_weather', arguments: { location: 'Paris' } } } }),
      ],
    });
    const { openai } = await runningGateway({ upstreams, settings: AUTOMATIC });
    const answer = await openai.responses.create({ model: 'gpt-test', input: 'Weather in Paris?', tools: [FUNCTION] });
    expect(answer.output.at(-1)).toMatchObject({ type: 'function_call', name: 'get_weather' });
    expect(JSON.stringify(upstreams.requests[0]?.tools)).not.toContain('get_weather');
  });
});

describe('POST /v1/responses', () => {
  it.each([
    ['without tools', {}],
    ['with a search among none', { tools: [{ type: 'tool_search' }], tool_choice: 'auto', parallel_tool_calls: true }],
  ])('a request %s is sent without any', async (_, tools) => {
    const upstreams = scriptedUpstreams({ responses: [events({ text: 'Ok.' })] });
    const { post } = await runningGateway({ upstreams });
    const request = { model: 'gpt-test', input: 'Hello', reasoning: { effort: 'low' }, something_new: { a: 1 } };
    expect((await post('/v1/responses', { ...request, ...tools })).status).toBe(200);
    expect(upstreams.requests).toEqual([request]);
  });

  it.each([false, true])('a model without tool search gets it, streaming: %s', async (isStream) => {
    const upstreams = scriptedUpstreams({
      responses: [
        events({ call: { name: 'tool_search', input: { query: 'weather at a location' } } }),
        events({ call: { name: 'tool_call', input: { name: 'get_weather', arguments: { location: 'Paris' } } } }),
      ],
    });
    const { openai } = await runningGateway({ upstreams });
    const request = {
      model: 'gpt-test',
      input: 'What is the weather in Paris?',
      tools: [{ ...FUNCTION, defer_loading: true }],
    };
    const answer = isStream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    expect(answer.output.at(-1)).toMatchObject({
      type: 'function_call',
      name: 'get_weather',
      arguments: '{"location":"Paris"}',
    });
  });

  it.each([false, true])(
    'a search that the client asks the host for is run here and shown, streaming: %s',
    async (isStream) => {
      const upstreams = scriptedUpstreams({
        responses: [
          events({ call: { name: 'tool_search', input: { query: 'weather at a location' } } }),
          events({ call: { name: 'tool_call', input: { name: 'get_weather', arguments: { location: 'Paris' } } } }),
        ],
      });
      const { openai } = await runningGateway({ upstreams });
      const tools = [{ type: 'tool_search' as const }, { ...FUNCTION, defer_loading: true }];
      const request = { model: 'gpt-test', input: 'What is the weather in Paris?', tools };
      const answer = isStream
        ? await openai.responses.stream(request).finalResponse()
        : await openai.responses.create(request);
      expect(answer.output).toMatchObject([
        { type: 'tool_search_call', call_id: null, execution: 'server', status: 'completed' },
        { type: 'tool_search_output', call_id: null, execution: 'server', tools: [{ name: 'get_weather' }] },
        { type: 'function_call', name: 'get_weather', arguments: '{"location":"Paris"}' },
      ]);
    },
  );

  it.each([false, true])(
    'a namespace is spelt out for a host that knows none, and its calls are read back, streaming: %s',
    async (isStream) => {
      const upstreams = scriptedUpstreams({ responses: [events({ call: { name: 'crm__get_weather', input: {} } })] });
      const { openai } = await runningGateway({ upstreams });
      const tools = [{ type: 'namespace' as const, name: 'crm', description: 'Customers', tools: [FUNCTION] }];
      const request = { model: 'gpt-test', input: 'Hello', tools };
      const answer = isStream
        ? await openai.responses.stream(request).finalResponse()
        : await openai.responses.create(request);
      expect(upstreams.requests[0]?.tools).toMatchObject([{ type: 'function', name: 'crm__get_weather' }]);
      expect(answer.output).toMatchObject([{ type: 'function_call', namespace: 'crm', name: 'get_weather' }]);
    },
  );

  it('a host of the same API gets a request without deferred tools unchanged', async () => {
    const upstreams = scriptedUpstreams({ responses: [events({ text: 'Ok.' })] }, { transport: 'openai-responses' });
    const { post } = await runningGateway({ upstreams });
    const tools = [{ type: 'web_search' }, { type: 'namespace', name: 'crm', description: 'd', tools: [FUNCTION] }];
    const request = { model: 'gpt-test', input: 'Hello', tools };
    expect((await post('/v1/responses', request)).status).toBe(200);
    expect(upstreams.requests).toEqual([request]);
  });

  it.each([
    ['in an envelope', (error: object) => ({ error })],
    ['as an event', (error: object) => ({ ...error, type: 'error' })],
  ])('a host says what it refuses and why, %s', async (_, wrap) => {
    const error = { message: 'Too long.', type: 'invalid_request_error', param: 'input', code: 'too_long' };
    const failure = upstreamError(400, wrap(error));
    const [begun] = events({ text: 'Hal' });
    if (begun === undefined) throw new Error('There is no event');
    const upstreams = scriptedUpstreams({ responses: [[failure], [begun, failure]] });
    const { post } = await runningGateway({ upstreams });
    const request = { model: 'gpt-test', input: 'Hello' };
    const response = await post('/v1/responses', request);
    expect([response.status, await response.json()]).toEqual([400, { error }]);
    const streamed = await (await post('/v1/responses', { ...request, stream: true })).text();
    expect(JSON.parse(streamed.split('data: ').at(-1) ?? '')).toEqual({
      ...{ type: 'error', code: 'too_long', message: 'Too long.', param: 'input' },
    });
  });

  it.each(['{}', '"get_weather"', '5', 'true'])('tools that are no list, %s, are refused as in chat', async (tools) => {
    const upstreams = scriptedUpstreams({});
    const { post } = await runningGateway({ upstreams });
    const body = `{"model":"gpt-test","input":"Hello","messages":[{"role":"user","content":"Hello"}],"tools":${tools}}`;
    const answers = [await post('/v1/responses', body), await post('/v1/chat/completions', body)];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    const [inResponses, inChat] = await Promise.all(answers.map((answer) => answer.json()));
    expect(inResponses).toEqual(inChat);
    expect(inResponses).toMatchObject({ error: { message: 'tools: Input should be a list' } });
  });

  it('a history that is kept elsewhere is refused where we search, and passed on where we do not', async () => {
    const upstreams = scriptedUpstreams({ responses: [events({ text: 'Ok.' })] });
    const { openai } = await runningGateway({ upstreams });
    const request = { model: 'gpt-test', input: 'Go on', previous_response_id: 'resp_0' };
    await expect(
      openai.responses.create({ ...request, tools: [{ ...FUNCTION, defer_loading: true }] }),
    ).rejects.toMatchObject({ status: 400 });
    expect((await openai.responses.create(request)).output_text).toBe('Ok.');
  });

  it('what a client has found by its own search is declared to a host that knows none', async () => {
    const upstreams = scriptedUpstreams({ responses: [events({ text: 'Ok.' })] });
    const { post } = await runningGateway({ upstreams });
    const response = await post('/v1/responses', {
      model: 'gpt-test',
      tools: [{ type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: { type: 'object' } }],
      input: [
        { role: 'user', content: 'Weather?' },
        { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: { goal: 'weather' } },
        { type: 'tool_search_output', call_id: 'call_1', execution: 'client', tools: [FUNCTION] },
      ],
    });
    expect(response.status).toBe(200);
    expect(JSON.stringify(upstreams.requests[0]?.tools)).toContain('get_weather');
  });
});
