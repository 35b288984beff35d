import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { type HostRequest, rawHost } from './scripted-host.fixture.ts';
import { ASK } from './weather-request.fixture.ts';

const PROMPT = 'Hi';
type Provider = 'anthropic' | 'openai';

/** Real clients with their own retries switched on, each with one request. */
const CLIENTS: Readonly<Record<string, (url: string) => PromiseLike<unknown>>> = {
  'Anthropic SDK': (url) => new Anthropic({ baseURL: url, apiKey: 'none' }).messages.create(ASK),
  'Anthropic SDK, streaming': (url) =>
    new Anthropic({ baseURL: url, apiKey: 'none' }).messages.stream(ASK).finalMessage(),
  'OpenAI SDK, Chat': (url) =>
    openai(url).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: PROMPT }] }),
  'OpenAI SDK, Responses': (url) => openai(url).responses.create({ model: 'm', input: PROMPT }),
  'AI SDK, Anthropic provider': (url) =>
    generateText({ model: createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })('m'), prompt: PROMPT }),
  'AI SDK, OpenAI provider, Chat': (url) =>
    generateText({ model: createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('m'), prompt: PROMPT }),
  'AI SDK, OpenAI provider, Responses': (url) =>
    generateText({ model: createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })('m'), prompt: PROMPT }),
  'AI SDK, Anthropic provider, streaming': (url) =>
    streamText({
      model: createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })('m'),
      prompt: PROMPT,
      onError: () => undefined,
    }).text,
};

function openai(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
}

describe.each<[Provider, number]>([
  ['anthropic', 529],
  ['openai', 503],
])('a request that %s refuses with %i is sent three times in all, whatever repeats it', (provider, status) => {
  it.each(Object.keys(CLIENTS))('%s', async (name) => {
    const host = await rawHost((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '0' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }));
    });
    const { url } = await gatewayTo(host.url, provider);
    await expect(CLIENTS[name]?.(url)).rejects.toThrow();
    expect(host.requests).toHaveLength(3);
  });
});

it('a later round of a stream, which the AI SDK no longer repeats, is repeated here', async () => {
  const tool = (index: number) => ({
    ...{ name: `list_${index}`, description: 'Lists invoices.', input_schema: { type: 'object' } },
    defer_loading: true,
  });
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const host = await rawHost(({ body }: HostRequest, response, turn) => {
    const isSearched = JSON.stringify(body.messages).includes('tool_result');
    if (isSearched && turn < 3) {
      response.writeHead(529, { 'content-type': 'application/json', 'retry-after-ms': '0' });
      return response.end(
        JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      );
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(streamed(isSearched));
  });
  const { post } = await gatewayTo(host.url, 'anthropic', { toolSearch: 'local' });
  const request = { ...ASK, stream: true, tools: [search, ...[1, 2, 3].map(tool)] };
  const answer = await post('/v1/messages', request, {
    'user-agent': 'ai/7.0.169 ai-sdk-provider-utils/5.0.79 node.js/v20.20.2',
  });
  expect(await answer.text()).toContain('Done.');
  expect(host.requests).toHaveLength(4);
});

function gatewayTo(url: string, provider: Provider, settings: object = {}) {
  const baseUrl = provider === 'openai' ? `${url}/v1` : url;
  return runningGateway(optionsFor({ upstreams: [{ models: ['*'], provider, baseUrl, apiKey: 'none', ...settings }] }));
}

function streamed(isSearched: boolean): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
  };
  const block = isSearched
    ? { type: 'text', text: 'Done.' }
    : { type: 'tool_use', id: 'toolu_1', name: 'tool_search_tool_bm25', input: { query: 'list invoices' } };
  const stop_reason = isSearched ? 'end_turn' : 'tool_use';
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}
