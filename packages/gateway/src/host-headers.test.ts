import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { rawHost } from './scripted-host.fixture.ts';
import { scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK } from './weather-request.fixture.ts';

const LIMITS = {
  'anthropic-ratelimit-tokens-remaining': '17',
  'x-ratelimit-remaining-requests': '3',
  'x-internal-host': 'secret',
};
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Ok.' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
};
const COMPLETION = {
  ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Ok.' }, finish_reason: 'stop' }],
};

function gatewayTo(url: string, provider: 'anthropic' | 'openai') {
  const baseUrl = provider === 'openai' ? `${url}/v1` : url;
  return runningGateway(optionsFor({ upstreams: [{ models: ['*'], provider, baseUrl, apiKey: 'none' }] }));
}

describe('what a host says beside its answer', () => {
  it.each(['whole', 'stream'])('comes through of its limits, and nothing else, with a %s', async (kind) => {
    const host = await rawHost((_, response) => {
      const isStream = kind === 'stream';
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json', ...LIMITS });
      response.end(
        isStream ? `event: message_start\ndata: ${JSON.stringify(START)}\n\n${END}` : JSON.stringify(MESSAGE),
      );
    });
    const { post } = await gatewayTo(host.url, 'anthropic');
    const { headers } = await post('/v1/messages', { ...ASK, stream: kind === 'stream' });
    expect(headers.get('anthropic-ratelimit-tokens-remaining')).toBe('17');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('3');
    expect(headers.has('x-internal-host')).toBe(false);
  });

  it('comes through of its limits with a refusal, which is not repeated by the client on top of us', async () => {
    const host = await rawHost((_, response) => {
      const headers = { 'content-type': 'application/json', 'retry-after-ms': '0', ...LIMITS };
      response.writeHead(529, headers).end(JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } }));
    });
    const { url } = await gatewayTo(host.url, 'anthropic');
    const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 2 });
    const error = await client.messages.create(ASK).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 529 });
    const { headers } = error as { headers: Headers };
    expect(headers.get('x-should-retry')).toBe('false');
    expect(headers.get('anthropic-ratelimit-tokens-remaining')).toBe('17');
    // Once, and the two times that we repeat it.
    expect(host.requests).toHaveLength(3);
  });

  it('comes through of its limits with a refusal by a host of another protocol', async () => {
    const host = await rawHost((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'x-should-retry': 'false', ...LIMITS });
      response.end(JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }));
    });
    const { post } = await gatewayTo(host.url, 'anthropic');
    const { status, headers } = await post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(status).toBe(429);
    expect(headers.get('anthropic-ratelimit-tokens-remaining')).toBe('17');
    expect(headers.get('x-should-retry')).toBe('false');
    expect(headers.has('x-internal-host')).toBe(false);
    // Its host says that another attempt would not help.
    expect(host.requests).toHaveLength(1);
  });

  it('comes through of its limits with an error that opens a stream', async () => {
    const host = await rawHost((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...LIMITS });
      const error = { type: 'error', error: { type: 'invalid_request_error', message: 'No' } };
      response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
    });
    const { post } = await gatewayTo(host.url, 'anthropic');
    const { status, headers } = await post('/v1/messages', { ...ASK, stream: true });
    expect(status).toBe(400);
    expect(headers.get('anthropic-ratelimit-tokens-remaining')).toBe('17');
  });

  it('a refusal that was not repeated here may be repeated by the client, when the host says so', async () => {
    const host = await rawHost((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '3600' }).end('{}');
    });
    const { post } = await gatewayTo(host.url, 'anthropic');
    const { headers } = await post('/v1/messages', ASK);
    expect(headers.get('x-should-retry')).toBe('true');
    expect(headers.get('retry-after')).toBe('3600');
    expect(host.requests).toHaveLength(1);
  });
});

describe('answers on the paths of OpenAI', () => {
  it('have the id that its clients read', async () => {
    const host = await rawHost((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(COMPLETION));
    });
    const { url, post } = await gatewayTo(host.url, 'openai');
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
    const completion = await openai.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(completion._request_id).toMatch(/^req_/);
    const refused = await post('/v1/chat/completions', { model: 'm' });
    expect(refused.headers.get('x-request-id')).toBe(refused.headers.get('request-id'));
  });

  it('tell in the shape of OpenAI that there is nothing there', async () => {
    const { url, post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
    await expect(openai.fineTuning.jobs.list()).rejects.toMatchObject({
      status: 404,
      error: { type: 'not_found_error', param: null, code: null },
    });
    expect(await (await post('/v1/chat/nothing', {})).json()).not.toHaveProperty('type');
    const unknown = await post('/v1/nothing', {});
    expect(await unknown.json()).toMatchObject({ type: 'error', error: { param: null, code: null } });
    const asked = await post('/v1/chat/nothing', {}, { 'anthropic-version': '2023-06-01' });
    expect(await asked.json()).toMatchObject({ type: 'error' });
  });
});

const { content: _, stop_reason: __, ...OPENING } = MESSAGE;
const START = { type: 'message_start', message: { ...OPENING, content: [], stop_reason: null } };
const END = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');
