import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName, type DialectUpstream, type ResponseOf } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { eventChunks, type ScriptedServer, type ServerTurn, startServer } from '../scripted-server.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { createModelUpstream } from './create-model-upstream.ts';

const { signal } = new AbortController();
const { request } = SAMPLES.anthropic;

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function serve(turns: readonly ServerTurn[]): Promise<ScriptedServer> {
  server = await startServer(turns);
  return server;
}

async function ask<D extends DialectName>(
  upstream: DialectUpstream<D>,
  asked: Parameters<DialectUpstream<D>['stream']>[0],
): Promise<ResponseOf<D>> {
  const parts = await collect(upstream.stream(asked, signal));
  SAMPLES[upstream.dialect].expectOrder(parts);
  return DIALECTS[upstream.dialect].whole.fromParts(parts);
}

/** The next request of a Messages client, which replays the blocks that it was given and answers the call. */
function replay(response: ResponseOf<'anthropic'>): typeof request {
  const [call] = SAMPLES.anthropic.received(response).calls;
  const result = { type: 'tool_result', tool_use_id: call?.id, content: 'Rain' };
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: response.content },
      { role: 'user', content: [result] },
    ],
  };
}

describe("Google's provider behind the Messages API", () => {
  const chunks = eventChunks([
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hm', thought: true }] } }] },
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'signed' }],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 },
    },
  ]);

  it("shows its thoughts and calls, and gives a call's signature back with it", async () => {
    const { url, requests } = await serve([{ chunks }]);
    const model = createGoogle({ baseURL: `${url}/v1beta`, apiKey: 'key' }).languageModel('gemini-3-pro-preview');
    const upstream = createModelUpstream({ dialect: 'anthropic', model });
    const response = await ask(upstream, { ...request, thinking: { type: 'enabled', budget_tokens: 4_000 } });
    expect(response.content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use']);
    expect(response).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 20, output_tokens: 9 } });
    expect(requests[0]?.body).toMatchObject({ generationConfig: { thinkingConfig: { includeThoughts: true } } });

    await ask(upstream, replay(response));
    const call = { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'signed' };
    expect(requests[1]?.body.contents).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [{ text: 'Hm', thought: true }, call] },
      { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { content: 'Rain' } } }] },
    ]);
  });
});

describe("OpenAI's provider behind the Messages API", () => {
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'in_progress',
    model: 'gpt-5.4',
    output: [],
  };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  const done = { ...reasoning, summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'encrypted' };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: '' };
  const called = { ...call, arguments: '{"city":"Oslo"}', status: 'completed' };
  const usage = { input_tokens: 20, output_tokens: 9, total_tokens: 29, input_tokens_details: { cached_tokens: 5 } };
  const chunks = eventChunks(
    [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item: reasoning },
      { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: 0 },
      {
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: 'Hm',
      },
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.output_item.added', output_index: 1, item: call },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"city":"Oslo"}' },
      { type: 'response.output_item.done', output_index: 1, item: called },
      { type: 'response.completed', response: { ...response, status: 'completed', usage } },
    ],
    { isNamed: true },
  );

  it('stores nothing there, and returns its thoughts encrypted', async () => {
    const { url, requests } = await serve([{ chunks }]);
    const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).languageModel('gpt-5.4');
    const upstream = createModelUpstream({ dialect: 'anthropic', model });
    const answer = await ask(upstream, { ...request, output_config: { effort: 'high' } });
    expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    expect(answer.content[0]?.thinking).toBe('Hm');
    expect(answer).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 15, cache_read_input_tokens: 5 } });
    expect(requests[0]?.body).toMatchObject({
      store: false,
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
    });

    await ask(upstream, replay(answer));
    expect(requests[1]?.body.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'encrypted', summary: [{ text: 'Hm' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
    ]);
  });
});

describe("Anthropic's provider behind Chat", () => {
  it('gets requests in its own format, and answers in that of Chat', async () => {
    const { url, requests } = await serve([{ chunks: eventChunks(SAMPLES.anthropic.parts, { isNamed: true }) }]);
    const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' }).languageModel('claude-sonnet-4-5');
    const upstream = createModelUpstream({ dialect: 'openai-chat', model });
    const sample = SAMPLES['openai-chat'];
    const response = await ask(upstream, { ...sample.request, max_completion_tokens: 77, parallel_tool_calls: false });
    expect(sample.received(response)).toMatchObject({
      text: 'Let me look.',
      calls: [{ id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }],
      ending: 'calls',
    });
    expect(requests[0]?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_tokens: 77,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is the weather in Oslo?' }] }],
      tools: [{ name: 'get_weather' }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
  });
});

describe("Amazon's provider behind the Messages API", () => {
  it('is asked through Converse', async () => {
    const body = {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm', signature: 'signed' } } },
            { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Oslo' } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 20, outputTokens: 9, totalTokens: 29 },
    };
    const { url, requests } = await serve([{ body }]);
    const model = createAmazonBedrock({ baseURL: url, region: 'eu-north-1', apiKey: 'key' }).languageModel(
      'amazon.nova',
    );
    const upstream = createModelUpstream({ dialect: 'anthropic', model });
    const response = await upstream.whole(request, signal);
    expect(response.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    expect(response).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 20, output_tokens: 9 } });

    await upstream.whole(replay(response), signal);
    expect(requests[1]?.url).toContain('/model/amazon.nova/converse');
    expect(requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm', signature: 'signed' } } },
          { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Oslo' } } },
        ],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: 'Rain' }] } }] },
    ]);
  });
});

describe('the provider for compatible hosts behind the Messages API', () => {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'x',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });

  it('sends a plain request, and replays thoughts', async () => {
    const chunks = [
      ...eventChunks([
        chunk({ role: 'assistant', reasoning_content: 'Hm' }),
        chunk({
          tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } }],
        }),
        chunk({
          tool_calls: [
            { index: 1, id: 'b', type: 'function', function: { name: 'get_weather', arguments: '{"city"' } },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Oslo"}' } }] }),
        chunk({ tool_calls: [{ index: 1, function: { arguments: ':"Rome"}' } }] }),
        chunk({}, 'stop'),
        { id: 'x', choices: [], usage: { prompt_tokens: 20, completion_tokens: 9 } },
      ]),
      'data: [DONE]\n\n',
    ];
    const { url, requests } = await serve([{ chunks }]);
    const provider = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, includeUsage: true });
    const upstream = createModelUpstream({ dialect: 'anthropic', model: provider.languageModel('m') });
    const response = await ask(upstream, { ...request, system: 'Be brief.' });
    expect(SAMPLES.anthropic.received(response)).toMatchObject({
      calls: [
        { id: 'a', input: { city: 'Oslo' } },
        { id: 'b', input: { city: 'Rome' } },
      ],
      ending: 'calls',
    });
    expect(requests[0]?.body).toMatchObject({
      model: 'm',
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      tools: [{ type: 'function', function: { name: 'get_weather', description: 'Tells the weather of a city.' } }],
    });

    await ask(upstream, replay(response));
    expect(requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'Hm', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
    ]);
  });

  it('gets images of a tool result as images', async () => {
    const chunks = [
      ...eventChunks([{ id: 'x', choices: [{ index: 0, delta: { content: 'Red' }, finish_reason: 'stop' }] }]),
      'data: [DONE]\n\n',
    ];
    const { url, requests } = await serve([{ chunks }]);
    const provider = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1` });
    const upstream = createModelUpstream({ dialect: 'anthropic', model: provider.languageModel('m') });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    await ask(upstream, {
      ...request,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'shot', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
      ],
    });
    expect(requests[0]?.body.messages).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'a', content: '[image 1: in the next message]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[image 1 of the tool results]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });
});
