import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayUpstream } from './configured-upstreams.ts';
import { createGateway } from './create-gateway.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { serve } from './serve.ts';

const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');

function tool(name: string, rest: object = {}) {
  return { name, description: `Does ${name}`, input_schema: { type: 'object' as const }, ...rest };
}

describe('the rest of the API', () => {
  it('says that it is there, and that it is well', async () => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it('an unknown path is not found, in the envelope of the API', async () => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await fetch(`${url}/v1/nothing`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  it.each([
    ['PUT', '/v1/messages', 'POST'],
    ['GET', '/v1/chat/completions', 'POST'],
    ['POST', '/v1/catalogs/acme', 'GET, PUT, PATCH, DELETE, HEAD'],
    ['DELETE', '/v1/models/vendor/other', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is not allowed, and the answer says what is', async (method, path, allowed) => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await fetch(`${url}${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(allowed.split(', ').sort());
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('lists models for both SDKs', async () => {
    const { anthropic, openai } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const models = await anthropic.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['claude-test', 'vendor/other']);
    expect(models.data[0]).toEqual({
      ...{ id: 'claude-test', type: 'model', display_name: 'Claude Test', created_at: '2023-11-14T22:13:20Z' },
      ...{ capabilities: null, lifecycle: 'active', line: null, deprecated_at: null, retires_at: null },
      ...{ max_input_tokens: 200_000, max_tokens: null },
      ...{ object: 'model', created: 1_700_000_000, owned_by: 'quartermaster' },
    });
    expect(await anthropic.models.retrieve('claude-test')).toMatchObject({ id: 'claude-test' });
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(['claude-test', 'vendor/other']);
    await expect(anthropic.models.retrieve('other')).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
    const page = await anthropic.models.list({ limit: 1 });
    expect(page).toMatchObject({ has_more: true, first_id: 'claude-test', last_id: 'claude-test' });
    expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual(['vendor/other']);
  });

  it('deferred tools count for nothing until they are referenced', async () => {
    const { anthropic } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const search = { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const };
    const long = { description: 'long '.repeat(1000) };
    const count = async (
      tools: Parameters<typeof anthropic.messages.countTokens>[0]['tools'],
      messages = ASK.messages,
    ) => (await anthropic.messages.countTokens({ model: ASK.model, messages, tools: tools ?? [] })).input_tokens;
    const without = await count([search, tool('a', { defer_loading: true })]);
    const deferred = await count([search, tool('a', { ...long, defer_loading: true })]);
    const inline = await count([search, tool('a', long), tool('b', { defer_loading: true })]);
    expect(deferred - without).toBeLessThan(100);
    expect(inline - deferred).toBeGreaterThan(1000);
    const found = [
      ...ASK.messages,
      {
        role: 'assistant' as const,
        content: [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'a' } },
          {
            type: 'tool_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: {
              type: 'tool_search_tool_search_result',
              tool_references: [{ type: 'tool_reference', tool_name: 'a' }],
            },
          },
        ],
      },
      { role: 'user' as const, content: 'Go on' },
    ] as unknown as typeof ASK.messages;
    expect((await count([search, tool('a', { ...long, defer_loading: true })], found)) - deferred).toBeGreaterThan(
      1000,
    );
  });

  it('a host that can count is asked, with what would be sent to it', async () => {
    const counted: unknown[] = [];
    const upstreams = scriptedUpstreams(
      {},
      {
        upstream: {
          async countTokens(request) {
            counted.push(request);
            return 42;
          },
        },
      },
    );
    const { anthropic } = await runningGateway({ upstreams });
    const { messages, model } = ASK;
    expect(await anthropic.messages.countTokens({ model, messages })).toMatchObject({ input_tokens: 42 });
    expect(counted).toEqual([{ model, messages }]);
  });

  it('metrics count requests, searches and tokens', async () => {
    const upstreams = scriptedUpstreams({
      anthropic: [message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'a' } }], 'tool_use'), HELLO],
    });
    const { anthropic, url } = await runningGateway({ upstreams });
    const search = { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const };
    await anthropic.messages.create({ ...ASK, tools: [search, tool('a', { defer_loading: true })] });
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('quartermaster_requests_total{route="messages",status="200"} 1\n');
    expect(text).toContain('quartermaster_searches_total{engine="bm25",verdict="match"} 1\n');
    expect(text).toContain('quartermaster_tokens_total{direction="input"} 20\n');
    expect(text).toContain('quartermaster_request_seconds_bucket{route="messages",le="+Inf"} 1\n');
  });
});

describe('clients that misbehave', () => {
  it('a client that goes away ends the work upstream', async () => {
    const never = new Promise<never>(() => undefined);
    const upstreams = scriptedUpstreams({ anthropic: [[...HELLO.slice(0, 3), never], [never]] });
    const { anthropic, post, url } = await runningGateway({ upstreams });
    const stream = anthropic.messages.stream(ASK);
    await new Promise((resolve) => stream.once('text', resolve));
    stream.abort();
    await expect(stream.done()).rejects.toThrow();
    const controller = new AbortController();
    const whole = fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(ASK), signal: controller.signal });
    while (upstreams.requests.length < 2) await post('/v1/messages/count_tokens', ASK);
    controller.abort();
    await expect(whole).rejects.toThrow();
    while (upstreams.aborted.count < 2) await post('/v1/messages/count_tokens', ASK);
    expect(upstreams.aborted.count).toBe(2);
  });

  it('a stream that stands still is kept alive by pings', async () => {
    let goOn: (value: unknown) => void = () => undefined;
    const pause = new Promise((resolve) => {
      goOn = resolve;
    });
    const upstreams = scriptedUpstreams({ anthropic: [[...HELLO.slice(0, 3), pause, ...HELLO.slice(3)]] });
    const { post } = await runningGateway({ upstreams, settings: { pingMs: 1 } });
    const response = await post('/v1/messages', { ...ASK, stream: true });
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString('utf8');
      if ((text.match(/event: ping\ndata: {"type":"ping"}\n\n/g) ?? []).length >= 2) goOn(undefined);
    }
    expect(text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
  });

  it('a client that does not read holds up the upstream, not the memory', async () => {
    let produced = 0;
    const delta = HELLO[2] as object;
    const upstreams = scriptedUpstreams({});
    const exchange = {
      transport: 'openai-chat',
      async *stream() {
        yield* HELLO.slice(0, 2);
        for (; produced < 100_000; produced += 1) {
          yield { ...delta, delta: { type: 'text_delta', text: 'x'.repeat(10_000) } };
        }
      },
      whole: () => Promise.reject(new Error('not asked')),
      forClient: () => exchange,
    };
    const known = (await upstreams.resolve('claude-test')) as GatewayUpstream;
    const { url, post } = await runningGateway({
      upstreams: { ...upstreams, resolve: () => ({ ...known, for: async () => exchange as never }) },
    });
    const { hostname, port } = new URL(url);
    const request = httpRequest({ hostname, port, path: '/v1/messages', method: 'POST' });
    await new Promise<void>((resolve, reject) => {
      request.once('response', (response) => {
        response.pause();
        response.once('error', () => undefined);
        resolve();
      });
      request.once('error', reject);
      request.end(JSON.stringify({ ...ASK, stream: true }));
    });
    let before = -1;
    while (before !== produced) {
      before = produced;
      for (let round = 0; round < 20; round += 1) await post('/healthz', '');
    }
    // What fits into the buffers of both sockets, and no more: a gigabyte was on offer.
    expect(produced).toBeLessThan(5_000);
    request.destroy();
  });

  it('a body that is too large is refused before it is read', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}), settings: { maxBodyBytes: 1000 } });
    const response = await post('/v1/messages', { ...ASK, padding: 'x'.repeat(2000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: 'request_too_large' } });
  });

  it('a body that is too large can be sent to its end: a closed connection would hide the answer', async () => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}), settings: { maxBodyBytes: 1000 } });
    const length = 3_000_000;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const hear = (): Promise<string> => new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));
    const failed = new Promise<string>((resolve) => socket.once('error', (error) => resolve(String(error))));
    const refused = hear();
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`);
    expect(await Promise.race([refused, failed])).toMatch(/^HTTP\/1\.1 413 /);
    const served = hear();
    socket.write('x'.repeat(length));
    socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(await Promise.race([served, failed])).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a body that grows too large by decompression is refused, another one is read', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [HELLO] });
    const { url } = await runningGateway({ upstreams, settings: { maxBodyBytes: 100_000 } });
    const send = (body: Buffer) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'content-encoding': 'gzip' },
      });
    expect((await send(gzipSync(JSON.stringify({ ...ASK, padding: 'x'.repeat(10_000_000) })))).status).toBe(413);
    expect((await send(gzipSync(JSON.stringify(ASK)))).status).toBe(200);
    expect((await send(Buffer.from('not gzip'))).status).toBe(400);
  });

  it.each([10_000, 1_000_000])('a body nested %i deep costs an answer, not the process', async (depth) => {
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, HELLO] });
    const { post } = await runningGateway({ upstreams });
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const bodies = [
      `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}],"x":${deep}}`,
      `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}],"tools":[{"name":"a","input_schema":{"a":${deep}}}]}`,
    ];
    for (const body of bodies) expect([200, 400]).toContain((await post('/v1/messages', body)).status);
    expect((await post('/v1/messages/count_tokens', ASK)).status).toBe(200);
  });

  it('a call nested deeper than the stack is no obstacle to a search after it', async () => {
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    const rounds = [message([{ call: search.name, id: 'toolu_s', input: { pattern: 'mail' } }], 'tool_use'), HELLO];
    const upstreams = scriptedUpstreams({ anthropic: rounds });
    const { url } = await runningGateway({ upstreams });
    const messages = [
      ASK.messages[0],
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'mail', input: 'DEEP' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ];
    const tools = [search, tool('mail', { defer_loading: true })];
    const body = JSON.stringify({ ...ASK, messages, tools }).replace(
      '"DEEP"',
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    );
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
    expect([response.status, upstreams.requests.length]).toEqual([200, 2]);
  });

  it('nothing of a request is logged or kept', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, [new Error('an error with Hello in it')]] });
    const waiting: (() => void)[] = [];
    const clock = {
      now: Date.now,
      after(_: number, run: () => void) {
        waiting.push(run);
        return () => undefined;
      },
    };
    const { anthropic, log, store } = await runningGateway({ upstreams, clock });
    const request = {
      ...ASK,
      system: 'top secret',
      tools: [tool('secret_tool')],
      metadata: { user_id: 'secret user' },
    };
    await anthropic.messages.create(request);
    await expect(anthropic.messages.create(request)).rejects.toThrow();
    expect(log).toHaveLength(2);
    expect(JSON.stringify(log)).not.toMatch(/secret|Hello/);
    // Events are counted, then the counts are written.
    for (let turn = 0; turn < 2; turn += 1) for (const run of waiting.splice(0)) run();
    const days = await store.usage.days({ owner: '', from: '2000-01-01', to: '2999-12-31' });
    expect(days).toMatchObject([{ requests: 2, inputTokens: 10, outputTokens: 5 }]);
    expect(await store.usage.tools({ limit: 10 })).toEqual([]);
  });

  it('a page in a browser, or another host name, is not served without keys', async () => {
    const { post, url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await post('/v1/messages', ASK, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const { port } = new URL(url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example' };
      const request = httpRequest({ hostname: '127.0.0.1', port, path: '/v1/models', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.once('error', reject);
      request.end();
    });
    expect(status).toBe(403);
  });

  it('without keys nothing but loopback is listened on', async () => {
    const gateway = createGateway({ upstreams: scriptedUpstreams({}), workerUrl: false });
    await expect(serve({ gateway, host: '0.0.0.0', port: 0, hasKeys: false })).rejects.toThrow(
      'Without API keys the gateway listens on loopback only, not on 0.0.0.0; create a key or use 127.0.0.1',
    );
  });

  it('closing waits for streams under way', async () => {
    let goOn: (value: unknown) => void = () => undefined;
    const pause = new Promise((resolve) => {
      goOn = resolve;
    });
    const upstreams = scriptedUpstreams({ anthropic: [[...HELLO.slice(0, 3), pause, ...HELLO.slice(3)]] });
    const { anthropic, close, url } = await runningGateway({ upstreams });
    const stream = anthropic.messages.stream(ASK);
    await new Promise((resolve) => stream.once('text', resolve));
    const closed = close();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    goOn(undefined);
    expect((await stream.finalMessage()).stop_reason).toBe('end_turn');
    await closed;
  });
});
