import { request as httpRequest } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { optionsFor } from './configured-gateway.fixture.ts';
import { type RunningGateway, runningGateway } from './running-gateway.fixture.ts';
import { scriptedHost } from './scripted-host.fixture.ts';
import { message, type Script, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';
import { ASK, BM25, FILES, namesOf, REGEX, SEARCH_THEN_CALL, WEATHER } from './weather-request.fixture.ts';

const OK = message([{ text: 'Ok.' }], 'end_turn');
const SUNNY = message([{ text: 'It is sunny.' }], 'end_turn');

/** A tool as the SDK's runner takes it, and what it was asked. */
function runnable() {
  const asked: unknown[] = [];
  const tool = {
    ...WEATHER,
    parse: (input: unknown) => input,
    run: async (input: unknown) => {
      asked.push(input);
      return 'sunny';
    },
  };
  return { asked, tool };
}

async function keyed(script: Script): Promise<RunningGateway & { readonly secret: string }> {
  const gateway = await runningGateway({ upstreams: scriptedUpstreams(script) });
  const { secret } = await gateway.store.keys.create({ name: 'sdk', models: ['*'], catalogs: ['*'], limits: {} });
  return { ...gateway, secret };
}

describe('the SDK and API keys', () => {
  it.each<[string, (secret: string) => object]>([
    ['its key', (secret) => ({ apiKey: secret })],
    ['a token', (secret) => ({ apiKey: null, authToken: secret })],
    ['the header of earlier versions', (secret) => ({ apiKey: 'other', defaultHeaders: earlierHeaders(secret) })],
  ])('is let in by %s', async (_, credentials) => {
    const { url, secret } = await keyed({ anthropic: [OK] });
    const anthropic = new Anthropic({ baseURL: url, maxRetries: 0, ...credentials(secret) });
    expect((await anthropic.messages.create(ASK)).content).toEqual([{ type: 'text', text: 'Ok.' }]);
  });

  it('gets an error for a wrong key', async () => {
    const { url } = await keyed({});
    const anthropic = new Anthropic({ baseURL: url, maxRetries: 0, apiKey: 'wrong' });
    await expect(anthropic.messages.create(ASK)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(anthropic.models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(anthropic.messages.batches.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  it('never shows a key of the gateway to a host, whatever it is asked for', async () => {
    const host = await scriptedHost('anthropic', () => ({ text: 'Ok.' }));
    const upstream = { models: ['*'], provider: 'anthropic', baseUrl: host.url, forwardsAuthorization: true };
    const keys = [{ name: 'one', key: 'qm_secret' }];
    const { url } = await runningGateway(optionsFor({ upstreams: [upstream], keys }));
    for (const credentials of [{ apiKey: 'qm_secret' }, { apiKey: 'x', defaultHeaders: earlierHeaders('qm_secret') }]) {
      const anthropic = new Anthropic({ baseURL: url, maxRetries: 0, ...credentials });
      await anthropic.messages.create(ASK);
      await anthropic.messages.stream(ASK).finalMessage();
      await anthropic.messages.countTokens({ model: ASK.model, messages: ASK.messages });
    }
    expect(host.requests).toHaveLength(6);
    expect(JSON.stringify(host.requests)).not.toContain('qm_secret');
  });

  it('gets the time to wait when its share is used up', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [OK] });
    const { url, store } = await runningGateway({ upstreams });
    const limits = { requestsPerMinute: 1 };
    const { secret } = await store.keys.create({ name: 'sdk', models: ['*'], catalogs: ['*'], limits });
    const anthropic = new Anthropic({ baseURL: url, maxRetries: 0, apiKey: secret });
    await anthropic.messages.create(ASK);
    const error = await anthropic.messages.create(ASK).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(Number((error as { headers: Headers }).headers.get('retry-after-ms'))).toBeGreaterThan(0);
  });
});

/** As SDKs before 1.0 and other clients authenticate themselves. */
function earlierHeaders(secret: string): Record<string, string | null> {
  return { 'x-api-key': secret, authorization: null, 'anthropic-version': '2023-06-01' };
}

describe('the SDK and both versions of the API', () => {
  it('refuses sampling settings in its own, and takes them in the earlier one', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [OK] });
    const { url, anthropic } = await runningGateway({ upstreams });
    const request = { ...ASK, temperature: 0.5 } as typeof ASK;
    await expect(anthropic.messages.create(request)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const earlier = new Anthropic({ baseURL: url, apiKey: 'none', defaultHeaders: earlierHeaders('none') });
    await earlier.messages.create(request);
    expect(upstreams.headers.map((headers) => headers.get('anthropic-version'))).toEqual(['2023-06-01']);
  });

  it('searches in the same shapes in the beta namespace', async () => {
    const upstreams = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.beta.messages.create({
      ...ASK,
      tools: [REGEX, WEATHER, FILES],
      betas: ['context-management-2025-06-27', 'advanced-tool-use-2025-11-20' as never],
    });
    expect(answer.content.map(({ type }) => type)).toEqual([
      ...['text', 'server_tool_use', 'tool_search_tool_result', 'text', 'tool_use'],
    ]);
    expect(upstreams.headers[0]?.get('anthropic-beta')).toContain('context-management-2025-06-27');
  });
});

describe('the SDK’s tool runner', () => {
  it('completes a task as a stream', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [...SEARCH_THEN_CALL, SUNNY] });
    const { anthropic } = await runningGateway({ upstreams });
    const { asked, tool } = runnable();
    const runner = anthropic.beta.messages.toolRunner({ ...ASK, stream: true, tools: [REGEX, tool] });
    const kinds: string[] = [];
    for await (const stream of runner) {
      for await (const event of stream) if (event.type === 'content_block_start') kinds.push(event.content_block.type);
    }
    expect(kinds).toEqual(['text', 'server_tool_use', 'tool_search_tool_result', 'text', 'tool_use', 'text']);
    expect(asked).toEqual([{ location: 'SF' }]);
    expect(upstreams.requests).toHaveLength(3);
  });

  it('goes on after a pause', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [...SEARCH_THEN_CALL, SUNNY] });
    const { anthropic } = await runningGateway({ upstreams, settings: { maxRounds: 1 } });
    const { asked, tool } = runnable();
    const answer = await anthropic.beta.messages.toolRunner({ ...ASK, tools: [REGEX, tool] });
    expect(answer.content).toEqual([{ type: 'text', text: 'It is sunny.' }]);
    expect(asked).toEqual([{ location: 'SF' }]);
    expect(upstreams.requests.map((request) => namesOf(request)?.includes('get_weather'))).toEqual([false, true, true]);
  });

  it('is refused a separate thread if it requires one', async () => {
    const { anthropic } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [OK] }) });
    const request = { ...ASK, thread: { type: 'create' as const } };
    const error = await anthropic.beta.messages.create(request as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 400,
      error: { error: { details: { error_code: 'thread_unsupported_request' } } },
    });
  });
});

describe('the SDK and what goes wrong', () => {
  it.each([
    [400, Anthropic.BadRequestError],
    [401, Anthropic.AuthenticationError],
    [403, Anthropic.PermissionDeniedError],
    [404, Anthropic.NotFoundError],
    [409, Anthropic.ConflictError],
    [429, Anthropic.RateLimitError],
    [500, Anthropic.InternalServerError],
  ])('a host’s %i has the class that it would have without us', async (status, kind) => {
    const body = { type: 'error', error: { type: 'api_error', message: 'Its own words.', details: { a: 1 } } };
    const { anthropic } = await runningGateway({
      upstreams: scriptedUpstreams({ anthropic: [[upstreamError(status, body)]] }),
    });
    const error = await anthropic.messages.create(ASK).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      requestID: expect.stringMatching(/^req_/),
      error: { type: 'error', error: { message: 'Its own words.', details: { a: 1 } } },
    });
  });

  it('a body over the limit is refused, whether it says how long it is or not', async () => {
    const upstreams = scriptedUpstreams({});
    const { anthropic, url } = await runningGateway({ upstreams, settings: { maxBodyBytes: 10_000 } });
    const long = { ...ASK, system: 'x'.repeat(20_000) };
    await expect(anthropic.messages.create(long)).rejects.toMatchObject({ status: 413, type: 'request_too_large' });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'transfer-encoding': 'chunked' };
      const request = httpRequest(`${url}/v1/messages`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.once('error', reject);
      request.write(JSON.stringify(long));
    });
    expect(status).toBe(413);
    expect(upstreams.requests).toEqual([]);
  });

  it('a batch over its limit is refused', async () => {
    const { anthropic } = await runningGateway({
      upstreams: scriptedUpstreams({}),
      settings: { maxBatchBytes: 10_000, maxBatchItems: 2 },
    });
    const batch = (count: number, system: string) => ({
      requests: Array.from({ length: count }, (_, index) => ({
        custom_id: `item-${index}`,
        params: { ...ASK, system },
      })),
    });
    await expect(anthropic.messages.batches.create(batch(1, 'x'.repeat(20_000)))).rejects.toMatchObject({
      status: 413,
    });
    await expect(anthropic.messages.batches.create(batch(3, 'x'))).rejects.toMatchObject({ status: 400 });
  });

  it('a failed search stands in the answer, and the answer goes on', async () => {
    const pattern = 'a'.repeat(201);
    const upstreams = scriptedUpstreams({
      anthropic: [message([{ call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern } }], 'tool_use'), OK],
    });
    const { anthropic } = await runningGateway({ upstreams, settings: { errorCodes: 'documented' } });
    const answer = await anthropic.messages.create({ ...ASK, tools: [REGEX, WEATHER] });
    expect(answer.content.slice(1)).toMatchObject([
      { content: { type: 'tool_search_tool_result_error', error_code: 'pattern_too_long' } },
      { type: 'text', text: 'Ok.' },
    ]);
    expect(answer.usage.server_tool_use).toMatchObject({ tool_search_requests: 1 });
  });

  it('a search that finds nothing is no error', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([{ call: 'tool_search_tool_bm25', id: 'toolu_s', input: { query: 'xylophone' } }], 'tool_use'),
        OK,
      ],
    });
    const { anthropic } = await runningGateway({ upstreams });
    const answer = await anthropic.messages.create({ ...ASK, tools: [BM25, WEATHER] });
    expect(answer.content[1]).toMatchObject({
      content: { type: 'tool_search_tool_search_result', tool_references: [] },
    });
  });
});

describe('the id of a request', () => {
  it.each([
    ['HEAD', '/', 200],
    ['GET', '/', 200],
    ['GET', '/healthz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/v1/models', 200],
    ['GET', '/v1/catalogs', 200],
    ['GET', '/v1/messages/batches', 200],
    ['GET', '/v1/messages/batches/none', 404],
    ['GET', '/nothing', 404],
    ['PATCH', '/v1/messages', 405],
  ])('is on the answer to %s %s', async (method, path, status) => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await fetch(`${url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });
});
