import { BACKGROUND_CLOCK, type Clock } from '@quartermaster/core/internal';
import type { KeyLimits } from '@quartermaster/host/store';
import type { ServerSettings } from '@quartermaster/mcp';
import type { ChatChunk } from '@quartermaster/wires/openai-chat';
import { describe, expect, it } from 'vitest';
import { inProcess, testHub } from '../mcp/mcp-servers.fixture.ts';
import { movedClock } from '../moved-clock.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import {
  message,
  type Script,
  type ScriptedUpstreams,
  scriptedUpstreams,
  upstreamError,
} from '../scripted-upstream.fixture.ts';
import { responseRounds } from '../stored-responses.fixture.ts';
import { BM25, WEATHER } from '../weather-request.fixture.ts';
import { createGatekeeper } from './access.ts';

const ASK = { model: 'claude-test', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');
/** The last hour of a month. */
const LATE = Date.UTC(2026, 10, 30, 23, 0, 0);

async function withLimits(limits: KeyLimits, servers?: Readonly<Record<string, ServerSettings>>) {
  const clock = movedClock(LATE);
  const upstreams = scriptedUpstreams({ anthropic: Array.from({ length: 20 }, () => HELLO) });
  const mcp = servers === undefined ? {} : { mcp: { hub: testHub(servers) } };
  const gateway = await runningGateway({ upstreams, clock, ...mcp });
  const { secret } = await gateway.store.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits });
  const headers = { 'x-api-key': secret };
  return {
    ...{ ...gateway, clock, upstreams },
    key: headers,
    ask: () => gateway.post('/v1/messages', ASK, headers),
    cancel: (id: string) => gateway.post(`/v1/messages/batches/${id}/cancel`, {}, headers),
    get: (path: string) => fetch(`${gateway.url}${path}`, { headers }),
    batch: (count: number) => {
      const requests = Array.from({ length: count }, (_, index) => ({ custom_id: `item-${index}`, params: ASK }));
      return gateway.post('/v1/messages/batches', { requests }, headers);
    },
  };
}

const LONG = 'long text '.repeat(400);
const FOREVER = new Promise(() => {});
const CHAT_LONG: readonly ChatChunk[] = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: LONG }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
] as unknown as readonly ChatChunk[];

/** The first parts of an answer, and then nothing. */
function cut<Part>(parts: readonly Part[], count: number): readonly (Part | Promise<unknown>)[] {
  return [...parts.slice(0, count), FOREVER];
}

/** A gateway for one key with a budget. */
async function withBudget(upstreams: ScriptedUpstreams, clock: Clock = BACKGROUND_CLOCK) {
  const gateway = await runningGateway({ upstreams, clock });
  const { rateLimits, keys } = gateway.store;
  const limits = { tokensPerDay: 1_000_000 };
  const { key, secret } = await keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits });
  const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
  const gatekeeper = createGatekeeper({ configured: [], keys, rateLimits, clock });
  return {
    ...{ ...gateway, headers },
    used: async () => (await gatekeeper.usedOf(key.id, limits)).tokensPerDay ?? 0,
    /** Reads until the text has come, and leaves. */
    async readAndLeave(path: string, body: object): Promise<void> {
      const reader = (await gateway.post(path, body, headers)).body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        text += next.value;
        if (text.includes(LONG)) break;
      }
      await reader?.cancel();
    },
  };
}

describe('a key’s quota', () => {
  it('of no requests lets none through', async () => {
    const { ask } = await withLimits({ requestsPerMinute: 0 });
    expect((await ask()).status).toBe(429);
  });

  it('counts whole tokens, whatever a host reports as usage', async () => {
    const { store, clock } = await withLimits({});
    const gatekeeper = createGatekeeper({ configured: [], keys: store.keys, rateLimits: store.rateLimits, clock });
    const limits = { tokensPerDay: 100, tokensPerMinute: 100 };
    const { key } = await store.keys.create({ name: 'odd', models: ['*'], catalogs: ['*'], limits });
    const access = await gatekeeper.admitOwner(key.id);
    if (access === undefined) throw new Error('The key is not valid');
    for (const tokens of [1.5, -7, Number.NaN, Number.POSITIVE_INFINITY, 0.1]) await gatekeeper.charge(access, tokens);
    expect(await gatekeeper.usedOf(key.id, limits)).toEqual({ tokensPerMinute: 3, tokensPerDay: 3 });
  });

  it.each(['/v1/models', '/v1/catalogs', '/v1/messages/batches'])('holds at %s', async (path) => {
    const { get } = await withLimits({ requestsPerMinute: 1 });
    expect((await get(path)).status).toBe(200);
    const refused = await get(path);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('anthropic-ratelimit-requests-limit')).toBe('1');
    expect(refused.headers.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(refused.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+s$/);
  });

  it('counts each message of a batch at /mcp', async () => {
    const { key, url } = await withLimits({ requestsPerMinute: 5 }, { mail: inProcess({ send: {} }) });
    const send = (count: number) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(
          Array.from({ length: count }, (_, at) => ({
            ...{ jsonrpc: '2.0', id: at + 1, method: 'tools/call' },
            params: { name: 'mail__send', arguments: {} },
          })),
        ),
      });
    const served = await send(4);
    expect([served.status, (await served.text()).match(/"content":/g)?.length]).toEqual([200, 4]);
    const refused = await send(2);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('5 requests per minute') },
    });
  });

  it.each([
    [{ tokensPerDay: 20 }, 'day'],
    [{ tokensPerMonth: 20 }, 'month'],
  ])('of %j is a budget, and the refusal says when it begins again', async (limits, period) => {
    const { ask, clock } = await withLimits(limits);
    // Fifteen tokens each: the second is served since anything is left.
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect(refused.headers.get('anthropic-ratelimit-tokens-reset')).toBe('2026-12-01T00:00:00.000Z');
    expect(refused.headers.get('x-ratelimit-reset-tokens')).toBe('3600s');
    expect(await refused.json()).toMatchObject({
      error: {
        type: 'rate_limit_error',
        message: `This key has used its 20 tokens per ${period}; try again at 2026-12-01T00:00:00.000Z`,
      },
    });
    clock.move(3_600_000);
    expect((await ask()).status).toBe(200);
  });

  it('counts the items of batches: those beyond it wait, none is lost, and the client can still ask for the batch', async () => {
    const { batch, get, store, upstreams } = await withLimits({ requestsPerMinute: 4 });
    const created = (await (await batch(10)).json()) as { id: string };
    // The request itself was the first of four, and the last is left to the client.
    await expect.poll(() => upstreams.requests.length).toBe(2);
    const owner = (await store.keys.list())[0]?.id ?? '';
    await expect.poll(async () => (await store.batches.get(created.id, owner))?.counts.succeeded).toBe(2);
    expect((await store.batches.get(created.id, owner))?.counts).toMatchObject({ processing: 8, errored: 0 });
    expect(await store.batches.claim({ limit: 10, leaseMs: 1 })).toEqual([]);
    expect((await get(`/v1/messages/batches/${created.id}`)).status).toBe(200);
  });

  it('of tokens counts what batches used, and lets their results be read and a batch be cancelled', async () => {
    const { ask, batch, cancel, get, store } = await withLimits({ tokensPerDay: 10, tokensPerMinute: 10 });
    const created = (await (await batch(1)).json()) as { id: string };
    const owner = (await store.keys.list())[0]?.id ?? '';
    await expect.poll(async () => (await store.batches.get(created.id, owner))?.status).toBe('ended');
    expect((await ask()).status).toBe(429);
    const results = await get(`/v1/messages/batches/${created.id}/results`);
    expect(results.status).toBe(200);
    expect(await results.text()).toContain('Hello.');
    expect((await cancel(created.id)).status).toBe(200);
  });

  it.each<[string, string, Script, object]>([
    ['/v1/messages', 'Messages', { anthropic: [cut(message([{ text: LONG }], 'end_turn'), 3)] }, ASK],
    ['/v1/chat/completions', 'Chat', { chat: [cut(CHAT_LONG, 2)] }, ASK],
    [
      '/v1/responses',
      'Responses',
      { responses: [cut(responseRounds(LONG)[0] ?? [], -1)] },
      { model: 'm', input: 'Hi' },
    ],
  ])('of tokens counts what %s has streamed to a client that left (%s)', async (path, _, script, body) => {
    const { readAndLeave, used } = await withBudget(scriptedUpstreams(script));
    await readAndLeave(path, { ...body, stream: true });
    // A token is about four characters.
    await expect.poll(used).toBeGreaterThan(LONG.length / 4);
    expect(await used()).toBeLessThan(LONG.length / 2);
  });

  it('of tokens counts a request whose client does not wait for the answer', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [[FOREVER]] });
    const { url, headers, used } = await withBudget(upstreams);
    const stop = new AbortController();
    const messages = [{ role: 'user', content: LONG }];
    const body = JSON.stringify({ ...ASK, messages });
    const asked = fetch(`${url}/v1/messages`, { method: 'POST', headers, body, signal: stop.signal });
    await expect.poll(() => upstreams.requests.length).toBe(1);
    stop.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(used).toBeGreaterThan(LONG.length / 4);
  });

  it('of tokens counts nothing for a request that the host refuses', async () => {
    const refusal = upstreamError(400, { error: { message: 'No.' } });
    const { readAndLeave, used } = await withBudget(scriptedUpstreams({ anthropic: [[refusal], [refusal]] }));
    await readAndLeave('/v1/messages', ASK);
    await readAndLeave('/v1/messages', { ...ASK, stream: true });
    expect(await used()).toBe(0);
  });

  it.each([
    ['tells no usage', '', LONG.length / 4],
    ['tells its usage', 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n', 7],
  ])('of tokens counts a stream that is passed on and %s', async (_, last, expected) => {
    const pieces = [`data: {"choices":[{"text":"${LONG}"}]}\n\n`, last, 'data: [DONE]\n\n'];
    const answer = () => new Response(pieces.join(''), { headers: { 'content-type': 'text/event-stream' } });
    const { post, headers, used, stop } = await withBudget(
      scriptedUpstreams({}, { upstream: { pass: async () => answer() } }),
    );
    const asked = { model: 'm', prompt: 'Hi', stream: true };
    expect(await (await post('/v1/completions', asked, headers)).text()).toBe(pieces.join(''));
    const untold = last === '' ? Math.ceil(JSON.stringify(asked).length / 4) : 0;
    await expect.poll(used).toBe(expected + untold);
    // It has ended: a gateway that stops does not wait for it.
    await stop();
  });

  it.each([
    ['text without its usage', '/v1/completions', 'application/json', LONG.length / 4],
    ['speech', '/v1/audio/speech', 'audio/mpeg', 0],
  ])('of tokens counts %s that is passed on at once', async (_, path, type, written) => {
    const answer = () =>
      new Response(JSON.stringify({ choices: [{ text: LONG }] }), { headers: { 'content-type': type } });
    const { post, headers, used } = await withBudget(
      scriptedUpstreams({}, { upstream: { pass: async () => answer() } }),
    );
    const asked = { model: 'm', input: 'Hi' };
    await (await post(path, asked, headers)).text();
    await expect.poll(used).toBe(written + Math.ceil(JSON.stringify(asked).length / 4));
  });

  it('of tokens counts the rounds of a batch item that fails in the end', async () => {
    const searching = message([{ call: BM25.name, id: 'toolu_1', input: { query: 'weather' } }], 'tool_use');
    const refusal = upstreamError(400, { error: { message: 'No.' } });
    const { post, headers, used, store } = await withBudget(scriptedUpstreams({ anthropic: [searching, [refusal]] }));
    const requests = [{ custom_id: 'a', params: { ...ASK, tools: [BM25, WEATHER] } }];
    const { id } = (await (await post('/v1/messages/batches', { requests }, headers)).json()) as { id: string };
    const owner = (await store.keys.list())[0]?.id ?? '';
    await expect.poll(async () => (await store.batches.get(id, owner))?.counts.errored).toBe(1);
    expect(await used()).toBe(15);
  });

  it('of tokens counts the rounds of a batch item that is canceled in the middle', async () => {
    const searching = message([{ call: BM25.name, id: 'toolu_1', input: { query: 'weather' } }], 'tool_use');
    const upstreams = scriptedUpstreams({ anthropic: [searching, [FOREVER]] });
    const clock = movedClock(Date.now());
    const { post, headers, used, store } = await withBudget(upstreams, clock);
    const requests = [{ custom_id: 'a', params: { ...ASK, tools: [BM25, WEATHER] } }];
    const { id } = (await (await post('/v1/messages/batches', { requests }, headers)).json()) as { id: string };
    await expect.poll(() => upstreams.requests.length).toBe(2);
    await post(`/v1/messages/batches/${id}/cancel`, {}, headers);
    const owner = (await store.keys.list())[0]?.id ?? '';
    const countCanceled = async () => {
      clock.move(20_000);
      return (await store.batches.get(id, owner))?.counts.canceled;
    };
    await expect.poll(countCanceled).toBe(1);
    expect(await used()).toBe(15);
  });

  it('of tokens refuses only what uses a model', async () => {
    const { ask, batch, post, url, key, store } = await withLimits({ tokensPerDay: 10, tokensPerMinute: 10 });
    const owner = (await store.keys.list())[0]?.id ?? '';
    await store.keys.update(owner, { role: 'admin' });
    expect((await ask()).status).toBe(200);
    for (const refused of [ask(), batch(1), post('/v1/completions', ASK, key)])
      expect((await refused).status).toBe(429);
    const put = { method: 'PUT', headers: key, body: JSON.stringify([WEATHER]) };
    expect((await fetch(`${url}/v1/catalogs/acme`, put)).status).toBe(201);
    const served: [string, object][] = [
      ['/v1/search', { query: 'weather', tools: [WEATHER] }],
      ['/v1/catalogs/acme/search', { query: 'weather' }],
      ['/v1/catalogs/acme/evaluate', { cases: [{ query: 'weather', tools: [WEATHER.name] }] }],
      ['/v1/conversations', {}],
      ['/v1/keys', { name: 'next' }],
    ];
    for (const [path, body] of served) expect([path, (await post(path, body, key)).status]).toEqual([path, 200]);
  });

  it('of searches is reported to the model, which continues without one', async () => {
    const searching = (id: string) => message([{ call: BM25.name, id, input: { query: 'weather' } }], 'tool_use');
    const anthropic = [searching('toolu_1'), searching('toolu_2'), HELLO];
    const { post, store } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic }) });
    const limits = { searchesPerMinute: 1 };
    const { secret } = await store.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits });
    const search = async () => {
      const response = await post('/v1/messages', { ...ASK, tools: [BM25, WEATHER] }, { 'x-api-key': secret });
      expect(response.status).toBe(200);
      const { content } = (await response.json()) as { content: readonly { type: string; content?: object }[] };
      return content.filter(({ type }) => type === 'tool_search_tool_result').map((block) => block.content);
    };
    const told = expect.stringMatching(/^This key is limited to 1 search per minute; try again in \d+ s;/);
    expect(await search()).toMatchObject([
      { tool_references: [{ tool_name: WEATHER.name }] },
      { error_code: 'too_many_requests', error_message: told },
    ]);
  });

  it('of searches counts every query of a request that searches, and says when to ask again', async () => {
    const { post, get, key } = await withLimits({ searchesPerMinute: 3 });
    const ask = (body: object) => post('/v1/search', { tools: [WEATHER], ...body }, key);
    expect((await ask({ queries: ['weather', 'rain'] })).status).toBe(200);
    expect((await ask({ query: 'weather' })).status).toBe(200);
    const refused = await ask({ query: 'weather' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get('/v1/models')).status).toBe(200);
  });

  it('of searches is taken before the work: a request that asks for too many uses up nothing', async () => {
    const { post, key } = await withLimits({ searchesPerMinute: 3 });
    const ask = async (body: object) => (await post('/v1/search', { tools: [WEATHER], ...body }, key)).status;
    expect(await ask({ queries: ['a', 'b', 'c', 'd'] })).toBe(429);
    expect(await ask({ queries: ['a', 'b', 'c'] })).toBe(200);
  });

  it('of searches counts each engine that a request compares', async () => {
    const { post, key } = await withLimits({ searchesPerMinute: 3 });
    const ask = async (compare: string[]) =>
      (await post('/v1/search', { query: 'rain', tools: [WEATHER], compare }, key)).status;
    expect(await ask(['bm25', 'semantic', 'regex'])).toBe(429);
    expect(await ask(['bm25', 'semantic'])).toBe(200);
  });
});
