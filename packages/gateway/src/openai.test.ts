import type { ChatChunk } from '@quartermaster/wires/openai-chat';
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
    ...(text === undefined ? {} : { content: text }),
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
  it('what nobody marked is sent as it is', async () => {
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

  it('deferral can be left to the gate', async () => {
    const upstreams = scriptedUpstreams({ chat: CHAT_SEARCH });
    const gate = { rule: { kind: 'on' as const }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };
    const { openai } = await runningGateway({ upstreams, settings: { deferral: 'auto', gate } });
    const answer = await openai.chat.completions.create({ ...ASK, tools: [WEATHER, FILES] });
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    expect(upstreams.requests).toHaveLength(2);
  });

  it("errors have OpenAI's envelope", async () => {
    const failure = upstreamError(429, { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit' } });
    const upstreams = scriptedUpstreams({ chat: [[failure]] });
    const { openai, post } = await runningGateway({ upstreams });
    await expect(openai.chat.completions.create(ASK)).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' });
    const response = await post('/v1/chat/completions', { messages: ASK.messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: 'model: Field required', type: 'invalid_request_error', param: null, code: null },
    });
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
  return responsesWhole.apart({
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

describe('POST /v1/responses', () => {
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
