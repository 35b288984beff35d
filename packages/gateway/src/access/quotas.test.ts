import type { KeyLimits } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { BM25, WEATHER } from '../weather-request.fixture.ts';
import { createGatekeeper } from './access.ts';

const ASK = { model: 'claude-test', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');
/** The last hour of a month. */
const LATE = Date.UTC(2026, 10, 30, 23, 0, 0);

/** A clock that runs what is due when it is moved. */
function movedClock(start: number) {
  let time = start;
  let waiting: { readonly at: number; run(): void }[] = [];
  return {
    now: () => time,
    after(delayMs: number, run: () => void) {
      const entry = { at: time + delayMs, run };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    move(ms: number) {
      time += ms;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { run } of due) run();
    },
  };
}

async function withLimits(limits: KeyLimits) {
  const clock = movedClock(LATE);
  const upstreams = scriptedUpstreams({ anthropic: Array.from({ length: 20 }, () => HELLO) });
  const gateway = await runningGateway({ upstreams, clock });
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
    expect(await refused.json()).toMatchObject({
      error: {
        type: 'rate_limit_error',
        message: `This key may use 20 tokens per ${period}, and has used them; try again at 2026-12-01T00:00:00.000Z`,
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
    const told = expect.stringMatching(/^This key may use 1 searches per minute; try again in \d+ s;/);
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
});
