import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { UpstreamError } from '@quartermaster/core/errors';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName, type DialectUpstream, type ResponseOf } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { INLINE_PLAN } from '../inline-plan.fixture.ts';
import { writeSeal } from '../internal/seal.ts';
import { manualClock } from '../manual-clock.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { createModelUpstream } from './create-model-upstream.ts';
import { finish, type ModelTurn, type ScriptedModel, scriptedModel, USAGE } from './scripted-model.fixture.ts';

const { signal } = new AbortController();
const { request } = SAMPLES.anthropic;
const TEXT: readonly LanguageModelV4StreamPart[] = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Hi' },
  { type: 'text-end', id: '0' },
];
const CALL: LanguageModelV4StreamPart = {
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'get_weather',
  input: '{"city":"Oslo"}',
};

function upstreamOf<D extends DialectName>(
  dialect: D,
  turns: readonly ModelTurn[],
  provider?: string,
): { readonly upstream: DialectUpstream<D>; readonly model: ScriptedModel } {
  const model = scriptedModel(turns, provider);
  const retries = { clock: manualClock({ instantBelowMs: 60_000 }) };
  return { model, upstream: createModelUpstream({ dialect, model, retries, createId: () => 'made' }) };
}

async function respond(
  parts: readonly LanguageModelV4StreamPart[],
  provider?: string,
): Promise<ResponseOf<'anthropic'>> {
  const { upstream } = upstreamOf('anthropic', [{ parts }], provider);
  return DIALECTS.anthropic.whole.fromParts(await collect(upstream.stream(request, signal)));
}

describe('a Messages response', () => {
  it('has the shape that the SDK types, with the id and model of the provider', async () => {
    const response = await respond([{ type: 'response-metadata', id: 'msg_r1', modelId: 'other' }, ...TEXT, finish()]);
    expect(response).toEqual({
      id: 'msg_r1',
      type: 'message',
      role: 'assistant',
      model: 'other',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 20,
        output_tokens: 9,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        cache_creation: null,
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        output_tokens_details: null,
        speed: null,
      },
    });
  });

  it('creates an id and uses the model of the request if the provider gives none', async () => {
    expect(await respond([...TEXT, finish()])).toMatchObject({ id: 'msg_made', model: 'sample-model' });
  });

  it('creates an id if that of the provider is not unique', async () => {
    const response = await respond([{ type: 'response-metadata', id: 'chatcmpl-1' }, ...TEXT, finish()]);
    expect(response.id).toBe('msg_made');
  });

  it.each<[string, LanguageModelV4StreamPart, readonly LanguageModelV4StreamPart[], string]>([
    ['stop', finish('stop'), TEXT, 'end_turn'],
    ['stop after calls', finish('stop'), [CALL], 'tool_use'],
    ['tool-calls', finish('tool-calls'), [CALL], 'tool_use'],
    ['length', finish('length'), TEXT, 'max_tokens'],
    ['length after calls', finish('length'), [CALL], 'max_tokens'],
    ['raw stop_sequence', finish('stop', 'stop_sequence'), TEXT, 'stop_sequence'],
    ['raw pause_turn', finish('stop', 'pause_turn'), TEXT, 'pause_turn'],
    ['content-filter', finish('content-filter'), TEXT, 'refusal'],
    ['raw refusal', finish('other', 'refusal'), TEXT, 'refusal'],
    [
      'raw model_context_window_exceeded',
      finish('length', 'model_context_window_exceeded'),
      TEXT,
      'model_context_window_exceeded',
    ],
  ])('ends after %s as the API does', async (_what, ending, parts, expected) => {
    expect((await respond([...parts, ending])).stop_reason).toBe(expected);
  });

  it('counts uncached tokens as input', async () => {
    const usage = { ...USAGE, inputTokens: { total: 100, noCache: undefined, cacheRead: 60, cacheWrite: 10 } };
    const ending: LanguageModelV4StreamPart = {
      type: 'finish',
      usage,
      finishReason: { unified: 'stop', raw: undefined },
    };
    expect((await respond([...TEXT, ending])).usage).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
    });
  });

  it('shows an image that the model has generated', async () => {
    const file: LanguageModelV4StreamPart = {
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'data', data: new Uint8Array([1, 2]) },
    };
    expect((await respond([file, finish()])).content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQI=' } },
    ]);
  });

  it('has an empty message if the model said nothing', async () => {
    expect(await respond([finish()])).toMatchObject({ content: [], stop_reason: 'end_turn' });
  });

  it("has Anthropic's own signatures as they are", async () => {
    const { content } = await respond(
      [
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Hm' },
        { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 'sig' } } },
        { type: 'reasoning-end', id: '0' },
        { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'blob' } } },
        { type: 'reasoning-end', id: '1' },
        finish(),
      ],
      'vertex.anthropic.messages',
    );
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'blob' },
    ]);
  });
});

describe('a call that the provider has executed itself', () => {
  const executed: readonly LanguageModelV4StreamPart[] = [
    { type: 'tool-call', toolCallId: 's', toolName: 'web', input: '{"q":"Oslo"}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 's', toolName: 'web', result: { text: 'x'.repeat(5_000) } },
  ];
  const thoughts = [
    '[The provider ran web: {"q":"Oslo"}]',
    `[Result of web: {"text":"${'x'.repeat(3_991)} … 1011 characters more]`,
  ];
  const parts = [...executed, ...TEXT, finish()];

  it('is thoughts in Messages, and the answer is the text alone', async () => {
    const { upstream } = upstreamOf('anthropic', [{ parts }]);
    for (const { content, stop_reason } of [await respond(parts), await upstream.whole(request, signal)]) {
      expect(content).toMatchObject([
        { type: 'thinking', thinking: thoughts[0] },
        { type: 'thinking', thinking: thoughts[1] },
        { type: 'text', text: 'Hi' },
      ]);
      expect(stop_reason).toBe('end_turn');
    }
  });

  it('has a long result that is not cut within a character', async () => {
    const result = `${'x'.repeat(3_999)}😀.`;
    const { content } = await respond([{ ...executed[1], result } as LanguageModelV4StreamPart, ...TEXT, finish()]);
    expect(content[0]).toMatchObject({ thinking: `[Result of web: ${'x'.repeat(3_999)} … 3 characters more]` });
  });

  it('is thoughts in Chat', async () => {
    const { upstream } = upstreamOf('openai-chat', [{ parts }]);
    const { choices } = await upstream.whole(SAMPLES['openai-chat'].request, signal);
    expect(choices).toMatchObject([
      { message: { content: 'Hi', reasoning_content: thoughts.join('') }, finish_reason: 'stop' },
    ]);
    expect(choices[0]?.message).not.toHaveProperty('tool_calls');
  });

  it('is thoughts in Responses', async () => {
    const { upstream } = upstreamOf('openai-responses', [{ parts }]);
    const { output } = await upstream.whole(SAMPLES['openai-responses'].request, signal);
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: thoughts[0] }] },
      { type: 'reasoning', summary: [{ text: thoughts[1] }] },
      { type: 'message', content: [{ text: 'Hi' }] },
    ]);
  });
});

describe('files that the model has made', () => {
  const file = (mediaType: string): LanguageModelV4StreamPart => ({
    ...{ type: 'file', mediaType },
    data: { type: 'data', data: new Uint8Array([1, 2]) },
  });
  const parts = [...TEXT, file('image/png'), file('audio/wav'), finish()];

  it('are images of the message in Chat, and others are told by their type', async () => {
    const { upstream } = upstreamOf('openai-chat', [{ parts }]);
    const asked = SAMPLES['openai-chat'].request;
    const streamed = DIALECTS['openai-chat'].whole.fromParts(await collect(upstream.stream(asked, signal)));
    for (const { choices } of [await upstream.whole(asked, signal), streamed]) {
      expect(choices[0]?.message).toEqual({
        role: 'assistant',
        content: 'Hi[a file of type audio/wav]',
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AQI=' } }],
      });
    }
  });

  it('are items in Responses, and others are told by their type', async () => {
    const { upstream } = upstreamOf('openai-responses', [{ parts }]);
    const { output } = await upstream.whole(SAMPLES['openai-responses'].request, signal);
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'Hi' }] },
      { type: 'image_generation_call', result: 'AQI=' },
      { type: 'message', content: [{ text: '[a file of type audio/wav]' }] },
    ]);
  });
});

describe('sources of a text', () => {
  const page: LanguageModelV4StreamPart = {
    type: 'source',
    sourceType: 'url',
    id: '1',
    url: 'https://example.com/weather',
    title: 'Weather',
  };
  const report: LanguageModelV4StreamPart = {
    ...{ type: 'source', sourceType: 'document', id: '2', mediaType: 'application/pdf', title: 'Report' },
    filename: 'report.pdf',
  };
  const [start, delta, end] = TEXT as [LanguageModelV4StreamPart, LanguageModelV4StreamPart, LanguageModelV4StreamPart];
  const orders: [string, readonly LanguageModelV4StreamPart[], string, number][] = [
    ['before it', [page, report, ...TEXT], 'Hi', 0],
    ['inside it', [start, delta, page, report, end], 'Hi', 2],
    ['after it', [...TEXT, page, report], 'Hi', 2],
    ['without one', [page, report], '', 0],
  ];
  const seal = writeSeal({ provider: 'scripted', metadata: {} });
  const cited = { type: 'web_search_result_location', cited_text: '', encrypted_index: seal };
  const citations = [
    { ...cited, url: 'https://example.com/weather', title: 'Weather' },
    { ...cited, url: 'report.pdf', title: 'Report' },
  ];
  const annotated = (at: number) =>
    [
      { url: 'https://example.com/weather', title: 'Weather' },
      { url: 'report.pdf', title: 'Report' },
    ].map((source) => ({ start_index: at, end_index: at, ...source }));

  it.each(orders)('are citations in Messages if they come %s', async (_, parts, text) => {
    const { upstream } = upstreamOf('anthropic', [{ parts: [...parts, finish()] }]);
    const content = [{ type: 'text', text, citations }];
    expect((await upstream.whole(request, signal)).content).toEqual(content);
    expect((await respond([...parts, finish()])).content).toEqual(content);
  });

  it.each(orders)('are annotations in Chat if they come %s', async (_, parts, text, at) => {
    const { upstream } = upstreamOf('openai-chat', [{ parts: [...parts, finish()] }]);
    const asked = SAMPLES['openai-chat'].request;
    const annotations = annotated(at).map((source) => ({ type: 'url_citation', url_citation: source }));
    const streamed = DIALECTS['openai-chat'].whole.fromParts(await collect(upstream.stream(asked, signal)));
    for (const { choices } of [await upstream.whole(asked, signal), streamed]) {
      expect(choices[0]?.message).toEqual({ role: 'assistant', content: text, annotations });
    }
  });

  it.each(orders)('are annotations in Responses if they come %s', async (_, parts, text, at) => {
    const { upstream } = upstreamOf('openai-responses', [{ parts: [...parts, finish()] }]);
    const asked = SAMPLES['openai-responses'].request;
    const annotations = annotated(at).map((source) => ({ type: 'url_citation', ...source }));
    const { output } = await upstream.whole(asked, signal);
    expect(output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text, annotations }] }]);
    const events: readonly object[] = await collect(upstream.stream(asked, signal));
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'response.output_text.annotation.added',
        annotation_index: 1,
        annotation: annotations[1],
      }),
    );
  });

  it('belong to the next text if their own is closed', async () => {
    const again = TEXT.map((part) => ({ ...part, id: 'second' }) as LanguageModelV4StreamPart);
    const { content } = await respond([...TEXT, CALL, page, ...again, finish()]);
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'tool_use' },
      { type: 'text', citations: [citations[0]] },
    ]);
    expect(content[0]).not.toHaveProperty('citations');
  });
});

describe('thoughts and metadata of calls', () => {
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: 'reasoning-start', id: 'r', providerMetadata: { google: { thoughtSignature: 'of the thought' } } },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
    { type: 'reasoning-end', id: 'r' },
    { ...CALL, providerMetadata: { google: { thoughtSignature: 'of the call' } } } as LanguageModelV4StreamPart,
    finish('tool-calls'),
  ];
  const expected = [
    { type: 'reasoning', text: 'Hm', providerOptions: { google: { thoughtSignature: 'of the thought' } } },
    { type: 'tool-call', toolName: 'get_weather', providerOptions: { google: { thoughtSignature: 'of the call' } } },
  ];

  it('come back to the same provider through a Messages client', async () => {
    const { upstream, model } = upstreamOf('anthropic', [{ parts }], 'google.generative-ai');
    const { content } = await upstream.whole(request, signal);
    const messages = [...request.messages, { role: 'assistant', content }];
    await upstream.whole({ ...request, messages }, signal);
    expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject(expected);
  });

  it('come back through a Responses client', async () => {
    const { upstream, model } = upstreamOf('openai-responses', [{ parts }], 'google.generative-ai');
    const sample = SAMPLES['openai-responses'].request;
    const { output = [] } = await upstream.whole(sample, signal);
    await upstream.whole({ ...sample, input: [...output] }, signal);
    expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject(expected);
  });

  it('come back through a Chat client as far as the protocol allows', async () => {
    const { upstream, model } = upstreamOf('openai-chat', [{ parts }], 'google.generative-ai');
    const sample = SAMPLES['openai-chat'].request;
    const { choices } = await upstream.whole(sample, signal);
    expect(choices[0]?.message).toMatchObject({ reasoning_content: 'Hm' });
    await upstream.whole({ ...sample, messages: choices.map(({ message }) => message) }, signal);
    expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject(expected.slice(1));
  });
});

describe('tools that only OpenAI has', () => {
  const patch: LanguageModelV4StreamPart = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'patch',
    input: '{"input":"raw"}',
  };
  const find: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'c2', toolName: 'crm__find', input: '{}' };

  it('get their text back in Chat', async () => {
    const { upstream } = upstreamOf('openai-chat', [{ parts: [patch, finish('tool-calls')] }]);
    const tools = [{ type: 'custom', custom: { name: 'patch' } }];
    const { choices } = await upstream.whole({ messages: [], tools }, signal);
    expect(choices[0]?.message.tool_calls).toEqual([
      { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'raw' } },
    ]);
  });

  it('get their text and their namespace back in Responses, declared or added in the middle', async () => {
    const { upstream } = upstreamOf('openai-responses', [{ parts: [patch, find, finish('tool-calls')] }]);
    const tools = [
      { type: 'custom', name: 'patch' },
      { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
    ];
    const added = [{ type: 'additional_tools', role: 'developer', tools }];
    for (const asked of [{ input: 'x', tools }, { input: added }]) {
      const { output } = await upstream.whole(asked, signal);
      expect(output).toMatchObject([
        { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'raw', status: 'completed' },
        { type: 'function_call', call_id: 'c2', name: 'find', namespace: 'crm', arguments: '{}' },
      ]);
    }
  });
});

describe('a Chat response', () => {
  it.each<[string, LanguageModelV4StreamPart, readonly LanguageModelV4StreamPart[], string]>([
    ['stop', finish('stop'), TEXT, 'stop'],
    ['stop after calls', finish('stop'), [CALL], 'tool_calls'],
    ['length after calls', finish('length'), [CALL], 'length'],
  ])('ends after %s as the API does', async (_what, ending, parts, expected) => {
    const { upstream } = upstreamOf('openai-chat', [{ parts: [...parts, ending] }]);
    const { choices } = await upstream.whole(SAMPLES['openai-chat'].request, signal);
    expect(choices[0]?.finish_reason).toBe(expected);
  });
});

describe('the metadata of a request to the Responses API', () => {
  it.each([
    ['is repeated', { metadata: { topic: 'weather' } }, { topic: 'weather' }],
    ['is empty where there is none', {}, {}],
  ])('%s in the response, streaming and whole', async (_, given, expected) => {
    const { upstream } = upstreamOf('openai-responses', [
      { parts: [...TEXT, finish()] },
      { parts: [...TEXT, finish()] },
    ]);
    const request = { ...SAMPLES['openai-responses'].request, ...given };
    expect(await upstream.whole(request, signal)).toMatchObject({ metadata: expected });
    for await (const event of upstream.stream(request, signal)) {
      if (event.response !== undefined) expect(event.response).toMatchObject({ metadata: expected });
    }
  });
});

describe('arguments that are not a JSON object', () => {
  it.each(['{"t":', '["x"]', 'Oslo'])('are kept in a whole Messages response: %s', async (input) => {
    const { upstream } = upstreamOf('anthropic', [{ parts: [{ ...CALL, input }, finish('tool-calls')] }]);
    const response = await upstream.whole(request, signal);
    expect(response.content).toMatchObject([{ type: 'tool_use', id: 'c1', input: { INVALID_JSON: input } }]);
    const reader = SAMPLES.anthropic.wire.reader(() => true, INLINE_PLAN);
    const reads = [...DIALECTS.anthropic.whole.toParts(response).flatMap((part) => reader.read(part)), ...reader.end()];
    expect(reads).toContainEqual({ kind: 'held', call: { id: 'c1', name: 'get_weather', arguments: input } });
  });

  it('are kept in a search that a Responses client executes', async () => {
    const call = { ...CALL, toolName: 'tool_search', input: '{"q":' };
    const { upstream } = upstreamOf('openai-responses', [{ parts: [call, finish('tool-calls')] }], 'rehearsal');
    const asked = { input: 'x', tools: [{ type: 'tool_search', execution: 'client' }] };
    const { output } = await upstream.whole(asked, signal);
    expect(output).toMatchObject([{ type: 'tool_search_call', arguments: '{"q":' }]);
  });
});

describe('a Responses response', () => {
  it.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('is incomplete after %s', async (unified, reason) => {
    const ending: LanguageModelV4StreamPart = {
      type: 'finish',
      usage: USAGE,
      finishReason: { unified, raw: undefined },
    };
    const { upstream } = upstreamOf('openai-responses', [{ parts: [...TEXT, ending] }]);
    const response = await upstream.whole({ input: 'x' }, signal);
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
  });
});

describe('ids', () => {
  const twice = [CALL, { ...CALL, input: '{"city":"Bergen"}' }, finish('tool-calls')];

  it('keeps both of two calls that share an id, in a whole response', async () => {
    const messages = await upstreamOf('anthropic', [{ parts: twice }]).upstream.whole(request, signal);
    expect(messages.content).toMatchObject([
      { id: 'c1', input: { city: 'Oslo' } },
      { id: 'c1_2', input: { city: 'Bergen' } },
    ]);
    const responses = upstreamOf('openai-responses', [{ parts: twice }]).upstream;
    expect((await responses.whole(SAMPLES['openai-responses'].request, signal)).output).toMatchObject([
      { call_id: 'c1', arguments: '{"city":"Oslo"}' },
      { call_id: 'c1_2', arguments: '{"city":"Bergen"}' },
    ]);
  });

  it.each([
    ['chatcmpl-0123456789abcdef0123456789abcdef', 'resp_made'],
    ['resp_1', 'resp_made'],
    ['resp_0123456789abcdef0123456789abcdef', 'resp_0123456789abcdef0123456789abcdef'],
  ])('a response that its provider calls %s is stored as %s', async (id, expected) => {
    const parts: LanguageModelV4StreamPart[] = [{ type: 'response-metadata', id }, ...TEXT, finish()];
    const { upstream } = upstreamOf('openai-responses', [{ parts }]);
    expect((await upstream.whole(SAMPLES['openai-responses'].request, signal)).id).toBe(expected);
  });
});

describe('failures', () => {
  const refused = (statusCode: number, extra: object = {}): Error =>
    Object.assign(new Error('No'), { name: 'AI_APICallError', statusCode, isRetryable: statusCode >= 429, ...extra });

  it.each<[string, unknown, object]>([
    [
      'a refusal',
      refused(400, { responseBody: '{"error":{"message":"No"}}', responseHeaders: { 'x-request-id': 'r9' } }),
      { code: 'refused', status: 400, body: { error: { message: 'No' } }, requestId: 'r9' },
    ],
    ['a missing key', Object.assign(new Error('No key'), { name: 'AI_LoadAPIKeyError' }), { status: 401 }],
    [
      'a key that is refused in a stream',
      { type: 'authentication_error', message: 'Bad key sk-secret' },
      { status: 401, refusesUs: true, body: undefined, message: expect.not.stringContaining('sk-secret') },
    ],
    [
      'a part that the provider can not take',
      Object.assign(new Error('No'), { name: 'AI_UnsupportedFunctionalityError' }),
      { code: 'unsupported', status: 400, type: 'invalid_request_error', isRetryable: false },
    ],
    [
      'a refusal whose reason is only in its body',
      Object.assign(refused(500, { responseBody: 'boom' }), { message: '' }),
      { code: 'refused', status: 500, message: 'scripted.chat failed: boom' },
    ],
    [
      'a refusal without any reason',
      Object.assign(refused(500, { responseBody: '' }), { message: '' }),
      { code: 'refused', status: 500, message: 'scripted.chat failed: status 500' },
    ],
    ['a broken connection', new TypeError('fetch failed'), { code: 'unreachable', status: 502 }],
    [
      'an answer that said it was one and can not be read',
      refused(200, { responseBody: '<html>', isRetryable: false }),
      { code: 'malformed', status: 502, type: 'api_error', message: 'scripted.chat failed: No', isRetryable: false },
    ],
    [
      'an answer that broke off',
      refused(200, { isRetryable: true }),
      { code: 'unreachable', status: 502, isRetryable: true },
    ],
    [
      'what our fetch threw inside the package',
      refused(200, { cause: new UpstreamError({ code: 'malformed', message: 'Too long', shouldRetry: false }) }),
      { code: 'malformed', message: 'Too long', isRetryable: false },
    ],
    [
      'an error that quotes the whole answer',
      Object.assign(new Error('x'.repeat(1_000_000)), { name: 'AI_JSONParseError' }),
      { code: 'malformed', message: `scripted.chat failed: ${'x'.repeat(499)}…` },
    ],
    ['a string', 'odd', { code: 'unreachable', message: 'scripted.chat failed: odd' }],
  ])('are reported for %s', async (_what, thrown, expected) => {
    const { upstream } = upstreamOf('anthropic', [{ throws: thrown }]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
      name: 'UpstreamError',
      ...expected,
    });
    await expect(upstream.whole(request, signal)).rejects.toMatchObject(expected);
  });

  it('don’t show the credentials that they quote', async () => {
    const sent = new Headers({ authorization: 'Bearer sk-secret-1' });
    const error = { type: 'invalid_request_error', message: 'sk-secret-1 has no such model' };
    const thrown = new Error(`${'x'.repeat(495)} sk-secret-1`);
    const model = scriptedModel([{ throws: error }, { throws: thrown }]);
    const upstream = createModelUpstream({ dialect: 'anthropic', model, retries: { maxRetries: 0 }, sent });
    const message = '[hidden] has no such model';
    await expect(upstream.whole(request, signal)).rejects.toMatchObject({
      ...{ message: `scripted.chat failed: ${message}`, body: { ...error, message } },
    });
    const cut = await upstream.whole(request, signal).catch(String);
    expect(cut).not.toContain('sk-');
  });

  it('are the client’s if its request is nested too deeply, and the provider’s if the answer is', async () => {
    const overflow = new RangeError('Maximum call stack size exceeded');
    const { upstream } = upstreamOf('anthropic', [{ throws: overflow }]);
    const metadata = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    for (const ask of [
      (asked: AnthropicRequest) => upstream.whole(asked, signal),
      (asked: AnthropicRequest) => collect(upstream.stream(asked, signal)),
    ]) {
      await expect(ask({ ...request, metadata })).rejects.toMatchObject({
        name: 'RequestError',
        message: 'The request is nested too deeply',
      });
      await expect(ask(request)).rejects.toMatchObject({ name: 'UpstreamError', status: 502 });
    }
  });

  it('are retried before the first part, thrown or streamed', async () => {
    const error: LanguageModelV4StreamPart = { type: 'error', error: refused(503) };
    const { upstream, model } = upstreamOf('anthropic', [
      { throws: refused(429) },
      { parts: [{ type: 'stream-start', warnings: [] }, error] },
      { parts: [...TEXT, finish()] },
    ]);
    expect((await collect(upstream.stream(request, signal))).length).toBeGreaterThan(0);
    expect(model.calls).toHaveLength(3);
  });

  it('are not retried after it', async () => {
    const { upstream, model } = upstreamOf('anthropic', [{ parts: [...TEXT, { type: 'error', error: refused(503) }] }]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ status: 503 });
    expect(model.calls).toHaveLength(1);
  });

  it.each<[string, readonly LanguageModelV4StreamPart[]]>([
    ['ends without a finish', TEXT],
    [
      'was interrupted',
      [...TEXT, { type: 'finish', usage: USAGE, finishReason: { unified: 'interrupted', raw: undefined } }],
    ],
    [
      'finishes with an error',
      [...TEXT, { type: 'finish', usage: USAGE, finishReason: { unified: 'error', raw: undefined } }],
    ],
  ])('include a stream that %s', async (_what, parts) => {
    const { upstream } = upstreamOf('anthropic', [{ parts }]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ code: 'cut_off' });
  });

  it('include a stream that stalls, even if the model ignores the signal', async () => {
    const clock = manualClock();
    const model = scriptedModel([{ parts: TEXT, hangs: true }]);
    const upstream = createModelUpstream({ dialect: 'anthropic', model, retries: { clock } });
    const seen: object[] = [];
    const failed = expect(collect(upstream.stream(request, signal), seen)).rejects.toMatchObject({ code: 'timed_out' });
    while (seen.length < 3) await new Promise(setImmediate);
    clock.pass(600_000);
    await failed;
  });
});

it('leaves the request as it was', async () => {
  const frozen = deepFreeze(structuredClone(request)) as AnthropicRequest;
  const { upstream } = upstreamOf('anthropic', [{ parts: [...TEXT, finish()] }]);
  await expect(upstream.whole(frozen, signal)).resolves.toBeDefined();
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
