import { RequestError, UpstreamError } from '@quartermaster/core/errors';
import { afterEach, describe, expect, it } from 'vitest';
import type { DialectName } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { writeSeal } from '../internal/seal.ts';
import { type ManualClock, manualClock } from '../manual-clock.fixture.ts';
import { eventChunks, type ScriptedServer, type ServerTurn, startServer } from '../scripted-server.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { createHttpUpstream } from './create-http-upstream.ts';
import type { HttpUpstreamOptions } from './http-upstream-options.ts';

const { request, parts } = SAMPLES.anthropic;
const STREAM: ServerTurn = { chunks: eventChunks(parts, { isNamed: true }) };
const { signal } = new AbortController();

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

interface Setup {
  readonly server: ScriptedServer;
  readonly clock: ManualClock;
  readonly upstream: ReturnType<typeof createHttpUpstream<'anthropic'>>;
}

async function setUp(
  turns: readonly ServerTurn[],
  options: Partial<HttpUpstreamOptions<'anthropic'>> = {},
): Promise<Setup> {
  server = await startServer(turns);
  const clock = manualClock({ instantBelowMs: 60_000, nowMs: Date.parse('2026-11-01T00:00:00Z') });
  const retries = { clock, random: () => 0, ...options.retries };
  const upstream = createHttpUpstream({
    dialect: 'anthropic',
    baseUrl: server.url,
    apiKey: 'secret',
    ...options,
    retries,
  });
  return { server, clock, upstream };
}

function pausesOf(clock: ManualClock): readonly number[] {
  return clock.delays.filter((delay) => delay < 60_000);
}

function refusal(status: number, headers: Record<string, string> = {}): ServerTurn {
  const type = status === 529 ? 'overloaded_error' : 'rate_limit_error';
  return { status, headers, body: { type: 'error', error: { type, message: 'Not now' }, request_id: 'req_1' } };
}

describe('what is sent', () => {
  it('is the original body, sent to the API with streaming on', async () => {
    const { upstream, server } = await setUp([STREAM]);
    const unknown = {
      ...request,
      context_management: { edits: [] },
      thinking: { type: 'adaptive', display: 'updates' },
    };
    await collect(upstream.stream(unknown, signal));
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/messages',
      body: { ...unknown, stream: true },
    });
  });

  it('finds the API under an address with or without the version', async () => {
    const { upstream, server } = await setUp([STREAM]);
    await collect(upstream.stream(request, signal));
    const versioned = createHttpUpstream({ dialect: 'anthropic', baseUrl: `${server.url}/v1/` });
    await collect(versioned.stream(request, signal));
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/messages', '/v1/messages']);
  });

  it("forwards the client's versions and betas, and neither its credentials nor its cookies", async () => {
    const { upstream, server } = await setUp([STREAM], {
      headers: { 'x-team': 'a', 'anthropic-workspace-id': 'ours' },
    });
    const headers = new Headers({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one,two',
      'anthropic-workspace-id': 'theirs',
      'x-stainless-lang': 'js',
      'x-api-key': 'of the client',
      authorization: 'Bearer of the client',
      cookie: 'a=b',
      host: 'gateway.example.com',
      'idempotency-key': 'k',
    });
    await collect(upstream.forClient({ headers }).stream(request, signal));
    const sent = server.requests[0]?.headers ?? {};
    expect(sent).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one,two',
      'anthropic-workspace-id': 'ours',
      'x-stainless-lang': 'js',
      'x-team': 'a',
      'x-api-key': 'secret',
    });
    expect(sent).not.toHaveProperty('authorization');
    expect(sent).not.toHaveProperty('cookie');
    expect(sent).not.toHaveProperty('idempotency-key');
    expect(sent.host).not.toContain('gateway');
  });

  it.each([
    ['2023-06-01', 'x-api-key', 'secret'],
    ['2026-10-21', 'authorization', 'Bearer secret'],
    [undefined, 'x-api-key', 'secret'],
  ])('carries the key as version %s expects it', async (version, name, value) => {
    const { upstream, server } = await setUp([STREAM]);
    const headers = new Headers(version === undefined ? {} : { 'anthropic-version': version });
    await collect(upstream.forClient({ headers }).stream(request, signal));
    expect(server.requests[0]?.headers).toMatchObject({ 'anthropic-version': version ?? '2023-06-01', [name]: value });
  });

  it("carries the client's own credential only where that is asked for and no key is set", async () => {
    const { server } = await setUp([STREAM]);
    const options = { dialect: 'anthropic', baseUrl: server.url, forwardsAuthorization: true } as const;
    const client = { headers: new Headers({ authorization: 'Bearer theirs' }) };
    await collect(createHttpUpstream(options).forClient(client).stream(request, signal));
    await collect(
      createHttpUpstream({ ...options, apiKey: 'ours' })
        .forClient(client)
        .stream(request, signal),
    );
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer theirs', undefined]);
  });

  it('omits citations of another provider, and a text that had nothing else', async () => {
    const { upstream, server } = await setUp([STREAM]);
    const own = { type: 'web_search_result_location', url: 'https://a.example', encrypted_index: 'real' };
    const theirs = { ...own, encrypted_index: writeSeal({ provider: 'google', metadata: {} }) };
    const content = [
      { type: 'text', text: 'Hi', citations: [theirs] },
      { type: 'text', text: 'Ho', citations: [own, theirs] },
      { type: 'text', text: '', citations: [theirs] },
    ];
    await collect(upstream.stream({ ...request, messages: [{ role: 'assistant', content }] }, signal));
    expect(server.requests[0]?.body.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Ho', citations: [own] },
        ],
      },
    ]);
  });

  it('omits thoughts of another provider, which the API would refuse', async () => {
    const { upstream, server } = await setUp([STREAM]);
    const seal = writeSeal({ provider: 'google', metadata: {} });
    const messages = [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: seal },
          { type: 'redacted_thinking', data: seal },
          { type: 'thinking', thinking: 'Own', signature: 'real' },
          { type: 'text', text: 'Hi' },
        ],
      },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: seal }] },
    ];
    await collect(upstream.stream({ ...request, messages }, signal));
    expect(server.requests[0]?.body.messages).toEqual([
      messages[0],
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Own', signature: 'real' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]);
  });
});

describe('an invalid request', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;

  it.each(['stream', 'whole'] as const)(
    'is refused where it is nested too deeply for a %s, and not sent',
    async (way) => {
      const { upstream, server } = await setUp([STREAM]);
      const asked = { ...request, metadata: deep };
      const answer = way === 'whole' ? upstream.whole(asked, signal) : collect(upstream.stream(asked, signal));
      const error = await answer.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RequestError);
      expect(error).toMatchObject({ code: 'invalid_request', message: 'The request is nested too deeply' });
      expect(server.requests).toEqual([]);
    },
  );

  const sealed = { type: 'thinking', thinking: 'Hm', signature: writeSeal({ provider: 'google', metadata: {} }) };
  it.each([
    ['no message', [null, 5], [null, 5]],
    ['no block', [{ role: 'user', content: [null, 5] }], [{ role: 'user', content: [null, 5] }]],
    [
      'no block beside a thought that goes',
      [null, { role: 'assistant', content: [null, sealed] }],
      [null, { role: 'assistant', content: [null] }],
    ],
  ])('is left for the host to refuse if it has %s', async (_what, messages, sent) => {
    const { upstream, server } = await setUp([STREAM]);
    await collect(upstream.stream({ ...request, messages: messages as never }, signal));
    expect(server.requests[0]?.body.messages).toEqual(sent);
  });

  it('is left for the host to refuse if it has no item', async () => {
    const body = { status: 'completed', output: [] };
    server = await startServer([{ body }]);
    const upstream = createHttpUpstream({ dialect: 'openai-responses', baseUrl: server.url });
    const items = [null, 5, { type: 'reasoning', encrypted_content: sealed.signature }];
    expect(await upstream.whole({ model: 'm', input: items as never }, signal)).toEqual(body);
    expect(server.requests[0]?.body.input).toEqual([null, 5]);
  });
});

describe('what comes back', () => {
  it('is passed on unchanged: thoughts, citations and unknown events', async () => {
    const odd = [
      parts[0],
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB==' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { a: [1] } } },
      { type: 'content_block_stop', index: 0 },
      { type: 'future_event', anything: { deep: true } },
      ...parts.slice(-2),
    ].flatMap((part) => part ?? []);
    const { upstream } = await setUp([{ chunks: eventChunks(odd, { isNamed: true }) }]);
    expect(await collect(upstream.stream(request, signal))).toEqual(odd);
  });

  it('is reported with its status and headers', async () => {
    const { upstream } = await setUp([{ ...STREAM, headers: { 'request-id': 'req_9' } }]);
    const seen: string[] = [];
    const client = { onResponse: ({ headers }: { headers: Headers }) => seen.push(headers.get('request-id') ?? '') };
    await collect(upstream.forClient(client).stream(request, signal));
    expect(seen).toEqual(['req_9']);
  });

  it('may be complete even if a stream was requested', async () => {
    const body = { id: 'msg_1', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: {} };
    const { upstream } = await setUp([{ body }]);
    const types = (await collect(upstream.stream(request, signal))).map(({ type }) => type);
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it.each<[string, ServerTurn, string]>([
    ['ends too early', { chunks: eventChunks(parts.slice(0, 5)) }, 'cut_off'],
    ['ends before it begins', { chunks: [] }, 'cut_off'],
    ['breaks', { chunks: eventChunks(parts.slice(0, 3)), after: 'reset' }, 'unreachable'],
    ['is no JSON', { chunks: ['data: {"type":\n\n'] }, 'malformed'],
    ['is no object', { chunks: ['data: 7\n\n'] }, 'malformed'],
    ['has an event that never ends', { chunks: [`data: ${'x'.repeat(5_000)}`], after: 'hang' }, 'malformed'],
  ])('is an error if the stream %s', async (_what, turn, code) => {
    const { upstream } = await setUp([turn], { limits: { maxEventLength: 2_000 }, retries: { maxRetries: 0 } });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ name: 'UpstreamError', code });
  });

  it('is an error if a whole response is too large', async () => {
    const { upstream } = await setUp([{ body: { content: 'x'.repeat(5_000) } }], { limits: { maxBodyBytes: 1_000 } });
    await expect(upstream.whole(request, signal)).rejects.toMatchObject({ code: 'malformed' });
  });

  it.each<[DialectName, unknown, string]>([
    ['anthropic', {}, 'content is not a list of objects'],
    ['anthropic', [], 'it is not an object'],
    ['openai-chat', {}, 'choices is not a list of objects'],
    ['openai-chat', { choices: [{ index: 0, message: null }] }, 'message is not an object'],
    ['openai-responses', {}, 'output is not a list of objects'],
  ])(
    'is an error where the whole response of %s is %j, asked for whole or as a stream',
    async (dialect, body, fault) => {
      server = await startServer([{ body: body as object }]);
      const upstream = createHttpUpstream({ dialect, baseUrl: server.url, retries: { maxRetries: 0 } });
      const { request: asked } = SAMPLES[dialect];
      const expected = { code: 'malformed', status: 502, message: `The upstream's answer can't be read: ${fault}` };
      await expect(upstream.whole(asked as never, signal)).rejects.toMatchObject(expected);
      await expect(collect(upstream.stream(asked as never, signal))).rejects.toMatchObject(expected);
    },
  );

  it.each<[DialectName, object]>([
    ['anthropic', {}],
    ['anthropic', { type: 'message_start', message: null }],
    ['openai-chat', { choices: [null] }],
    ['openai-responses', {}],
  ])('is an error if the stream of %s has the part %j', async (dialect, part) => {
    server = await startServer([{ chunks: eventChunks([part]) }]);
    const upstream = createHttpUpstream({ dialect, baseUrl: server.url, retries: { maxRetries: 0 } });
    const asked = collect(upstream.stream(SAMPLES[dialect].request as never, signal));
    await expect(asked).rejects.toMatchObject({ code: 'malformed', status: 502 });
  });

  it('is the error of the host if it sends one instead of a response', async () => {
    const body = { error: { type: 'overloaded_error', message: 'Busy' } };
    const { upstream } = await setUp([{ body }], { retries: { maxRetries: 0 } });
    const expected = {
      code: 'refused',
      status: 529,
      message: 'The upstream ended its stream with overloaded_error: Busy',
    };
    await expect(upstream.whole(request, signal)).rejects.toMatchObject(expected);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject(expected);
  });

  it('closes the connection when its reader stops', async () => {
    const { upstream, server } = await setUp([{ chunks: eventChunks(parts.slice(0, 3)), after: 'hang' }]);
    for await (const _part of upstream.stream(request, signal)) break;
    await expect(server.closed).resolves.toBeUndefined();
  });
});

describe('errors', () => {
  it('carry status, type, body and request id', async () => {
    const { upstream } = await setUp([refusal(400, { 'request-id': 'req_7' })]);
    const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({
      code: 'refused',
      status: 400,
      type: 'rate_limit_error',
      requestId: 'req_7',
      body: { error: { message: 'Not now' } },
      message: 'The upstream answered with status 400: Not now',
      isRetryable: false,
    });
  });

  it.each([
    ['text', 'upstream connect error', 'upstream connect error'],
    ['nothing', '', ''],
    ["OpenAI's envelope", { error: { message: 'Bad key', type: 'invalid_api_key', code: null } }, 'Bad key'],
  ])('can be read from a body of %s', async (_what, body, reason) => {
    const { upstream } = await setUp([{ status: 403, body }]);
    const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 403, type: 'permission_error' });
    expect(String(error)).toContain(reason);
  });

  it('of an HTML page is only its title', async () => {
    const body =
      '<!DOCTYPE html><html><head><title>502\n Bad Gateway</title></head><body>nginx/1.2 secret</body></html>';
    const { upstream } = await setUp(Array.from({ length: 3 }, () => ({ status: 403, body })));
    const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/with status 403: an HTML page titled "502 Bad Gateway"$/);
  });

  it('does not repeat what a host says about the key of the settings', async () => {
    const body = { error: { message: 'Incorrect API key provided: sk-secret', type: 'invalid_api_key' } };
    const { upstream } = await setUp([{ status: 401, body }]);
    const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 401, refusesUs: true, body: undefined });
    expect(String(error)).not.toContain('secret');
  });

  it.each([400, 402, 403, 404, 429, 500])(
    'with status %i never quote the credentials of the request',
    async (status) => {
      const headers = { 'x-team-token': 'team-secret', 'x-team': 'platform-team' };
      const body = { error: { message: 'Bad key sk-secret or team-secret of platform-team' } };
      const { upstream } = await setUp([{ status, body }], {
        apiKey: 'sk-secret',
        headers,
        retries: { maxRetries: 0 },
      });
      const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
      const message = 'Bad key [hidden] or [hidden] of platform-team';
      expect(error).toMatchObject({ status, body: { error: { message } } });
      expect(String(error)).toContain(message);
    },
  );

  it('hide the secrets of the settings from a client whose own key they may quote', async () => {
    server = await startServer([{ status: 403, body: { error: { message: 'Neither sk-client nor team-secret' } } }]);
    const options = { dialect: 'anthropic', baseUrl: server.url, forwardsAuthorization: true } as const;
    const upstream = createHttpUpstream({ ...options, headers: { 'x-team-token': 'team-secret' } });
    const asked = upstream.forClient({ headers: new Headers({ 'x-api-key': 'sk-client' }) }).stream(request, signal);
    const error = await collect(asked).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ body: { error: { message: 'Neither sk-client nor [hidden]' } } });
  });

  it('are not cut where a key is a word of everyday', async () => {
    const body = { error: { message: 'There is none' } };
    const { upstream } = await setUp([{ status: 404, body }], { apiKey: 'none' });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ body });
  });

  it.each([
    ['a status', { code: 401, message: 'Bad key sk-secret' }],
    ['a type', { type: 'authentication_error', message: 'Bad key sk-secret' }],
  ])('that refuse the key of the settings by %s in an answer with 200 are not repeated either', async (_what, told) => {
    for (const ask of [{ body: { error: told } }, { chunks: eventChunks([{ type: 'error', error: told }]) }]) {
      const { upstream } = await setUp([ask], { retries: { maxRetries: 0 } });
      const error = await collect(upstream.stream(request, signal)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 401, refusesUs: true, body: undefined });
      expect(String(error)).not.toContain('secret');
    }
  });

  it.each([false, true])(
    'of any kind in an answer with 200 hide the key of the settings, as a stream: %s',
    async (isStream) => {
      const error = { type: 'invalid_request_error', message: 'The key sk-secret has no such model', param: 'model' };
      const { upstream } = await setUp(
        [isStream ? { chunks: eventChunks([{ type: 'error', error }]) } : { body: { error } }],
        {
          ...{ apiKey: 'sk-secret', retries: { maxRetries: 0 } },
        },
      );
      const thrown = await collect(upstream.stream(request, signal)).catch((reason: unknown) => reason);
      const message = 'The key [hidden] has no such model';
      expect(thrown).toMatchObject({ status: 400, body: { error: { ...error, message } } });
      expect(String(thrown)).toContain(message);
    },
  );

  it('say that a proxy before the host asks for credentials, with a status that clients can read', async () => {
    const ask = async (): Promise<Response> => new Response('Who are you?', { status: 407 });
    const { upstream } = await setUp([], { fetch: ask });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
      ...{ code: 'unreachable', status: 502, isRetryable: false },
      message: "A proxy in front of the upstream asks for credentials (status 407); check the network's settings",
    });
  });

  it.each([301, 302, 307, 308])(
    'say where a host redirects to with status %i, and send nothing there',
    async (status) => {
      const elsewhere = await startServer([STREAM]);
      const { upstream, server } = await setUp([{ status, headers: { location: `${elsewhere.url}/v1/messages` } }]);
      await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
        code: 'malformed',
        status: 502,
        message: `The upstream redirects to ${elsewhere.url}/v1/messages with status ${status}: set baseUrl to where its API is`,
      });
      expect(server.requests).toHaveLength(1);
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.stop();
    },
  );

  it('have a valid status if that of the host is not', async () => {
    const { upstream } = await setUp([{ status: 799, body: {} }], { retries: { maxRetries: 0 } });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ code: 'malformed', status: 502 });
  });

  it('name the host that cannot be reached', async () => {
    const upstream = createHttpUpstream({
      dialect: 'anthropic',
      baseUrl: 'http://127.0.0.1:1',
      retries: { maxRetries: 0 },
    });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ code: 'unreachable', status: 502 });
  });
});

describe('retrying', () => {
  it.each([408, 409, 429, 500, 503, 529])('helps after status %i, with pauses that double', async (status) => {
    const { upstream, server, clock } = await setUp([refusal(status), refusal(status), STREAM]);
    expect(await collect(upstream.stream(request, signal))).toEqual(parts);
    expect(server.requests).toHaveLength(3);
    expect(pausesOf(clock)).toEqual([500, 1000]);
  });

  it.each([400, 401, 403, 404, 413, 422])('is not done after status %i', async (status) => {
    const { upstream, server } = await setUp([refusal(status), STREAM]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['true', 400, 2],
    ['false', 529, 1],
  ])('follows x-should-retry: %s, whatever the status', async (should, status, count) => {
    const { upstream, server } = await setUp([refusal(status, { 'x-should-retry': should }), STREAM]);
    await collect(upstream.stream(request, signal)).catch(() => undefined);
    expect(server.requests).toHaveLength(count);
  });

  it.each([
    ['retry-after-ms', '1234', 1234],
    ['retry-after', '3', 3000],
    ['retry-after', 'Sun, 01 Nov 2026 00:00:09 GMT', 9000],
    ['retry-after', 'soon', 500],
  ])('pauses as %s: %s says', async (name, value, pause) => {
    const { upstream, clock } = await setUp([refusal(429, { [name]: value }), STREAM]);
    await collect(upstream.stream(request, signal));
    expect(pausesOf(clock)).toEqual([pause]);
  });

  it('is left to the client if the upstream asks for too long a pause', async () => {
    const { upstream, server } = await setUp([refusal(429, { 'retry-after': '3600' }), STREAM]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
      status: 429,
      retryAfterMs: 3_600_000,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('ends after as many attempts as are allowed', async () => {
    const { upstream, server } = await setUp([refusal(529)], { retries: { maxRetries: 1 } });
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
    expect(server.requests).toHaveLength(2);
  });

  it('works after an error as the first event, and after a ping before it', async () => {
    const first = eventChunks([{ type: 'ping' }, SAMPLES.anthropic.error], { isNamed: true });
    const { upstream, server } = await setUp([{ chunks: first }, STREAM]);
    expect(await collect(upstream.stream(request, signal))).toEqual(parts);
    expect(server.requests).toHaveLength(2);
  });

  it('never happens after the first part is sent', async () => {
    const broken = { chunks: eventChunks([...parts.slice(0, 3), SAMPLES.anthropic.error], { isNamed: true }) };
    const { upstream, server } = await setUp([broken, STREAM]);
    await expect(collect(upstream.stream(request, signal))).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
      body: SAMPLES.anthropic.error,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('works for whole responses too', async () => {
    const { upstream, server } = await setUp([refusal(503), { body: { content: [], stop_reason: 'end_turn' } }]);
    expect(await upstream.whole({ ...request, stream: true }, signal)).toMatchObject({ stop_reason: 'end_turn' });
    expect(server.requests.map(({ body }) => body)).toEqual([request, request]);
  });

  it('stops at once if the client disconnects during a pause', async () => {
    const controller = new AbortController();
    server = await startServer([refusal(529)]);
    const clock = manualClock();
    const upstream = createHttpUpstream({ dialect: 'anthropic', baseUrl: server.url, retries: { clock } });
    const asked = collect(upstream.stream(request, controller.signal));
    const failed = expect(asked).rejects.toThrow('gone');
    await server.received(1);
    controller.abort(new Error('gone'));
    await failed;
    expect(server.requests).toHaveLength(1);
  });
});

describe('time', () => {
  it.each<[string, ServerTurn, 'stream' | 'whole']>([
    ['headers that do not come', { after: 'hang' }, 'stream'],
    ['a stream that falls silent', { chunks: eventChunks(parts.slice(0, 3)), after: 'hang' }, 'stream'],
    ['a whole response that does not come', { after: 'hang' }, 'whole'],
  ])('is up for %s', async (_what, turn, way) => {
    server = await startServer([turn]);
    const clock = manualClock();
    const upstream = createHttpUpstream({
      dialect: 'anthropic',
      baseUrl: server.url,
      retries: { clock, maxRetries: 0 },
    });
    const seen: object[] = [];
    const asked = way === 'whole' ? upstream.whole(request, signal) : collect(upstream.stream(request, signal), seen);
    const failed = expect(asked).rejects.toMatchObject({ code: 'timed_out', status: 504, type: 'timeout_error' });
    await server.received(1);
    while (seen.length < (turn.chunks?.length ?? 0)) await new Promise(setImmediate);
    clock.pass(600_000);
    await failed;
  });
});
