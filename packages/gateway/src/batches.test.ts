import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';
import { ASK, FILES, REGEX, SEARCH_THEN_CALL, TRANSPORTS, WEATHER } from './weather-request.fixture.ts';

const PARAMS = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');

const TOOLS = [
  { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const },
  {
    name: 'get_weather',
    description: 'Weather and rain',
    input_schema: { type: 'object' as const },
    defer_loading: true,
  },
];
const FORCED = { type: 'tool' as const, name: 'tool_search_tool_bm25' };
const AUTO = { type: 'auto' as const };

async function ended(anthropic: Anthropic, id: string) {
  for (;;) {
    const batch = await anthropic.messages.batches.retrieve(id);
    if (batch.processing_status === 'ended') return batch;
  }
}

async function resultsOf(anthropic: Anthropic, id: string) {
  const results: { custom_id: string; result: { type: string } }[] = [];
  for await (const result of await anthropic.messages.batches.results(id)) results.push(result);
  return results.sort((left, right) => left.custom_id.localeCompare(right.custom_id));
}

describe('batches', () => {
  it('are worked on with tool search, and each request has its own result', async () => {
    const failure = upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
    const search = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'weather' } }], 'tool_use');
    const upstreams = scriptedUpstreams({ anthropic: [search, HELLO, [failure]] });
    const { anthropic } = await runningGateway({ upstreams, settings: { batchConcurrency: 1 } });
    const created = await anthropic.messages.batches.create({
      requests: [
        { custom_id: 'a', params: { ...PARAMS, tools: TOOLS } },
        { custom_id: 'b', params: PARAMS },
        { custom_id: 'c', params: { ...PARAMS, messages: [] } },
      ],
    });
    expect(created).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    const batch = await ended(anthropic, created.id);
    expect(batch.request_counts).toEqual({ processing: 0, succeeded: 1, errored: 2, canceled: 0, expired: 0 });
    expect(await resultsOf(anthropic, created.id)).toMatchObject([
      { custom_id: 'a', result: { type: 'succeeded', message: { content: [{}, {}, { text: 'Hello.' }] } } },
      { custom_id: 'b', result: { type: 'errored', error: { error: { type: 'overloaded_error' } } } },
      { custom_id: 'c', result: { type: 'errored', error: { error: { type: 'invalid_request_error' } } } },
    ]);
    expect(await anthropic.messages.batches.delete(created.id)).toEqual({
      id: created.id,
      type: 'message_batch_deleted',
    });
    await expect(anthropic.messages.batches.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
  });

  it('go on after each search where they were, with one response of all rounds, counted once', async () => {
    const search = (query: string) =>
      message([{ text: `${query}?` }, { call: 'tool_search_tool_bm25', id: 's', input: { query } }], 'tool_use');
    const call = message([{ call: 'get_weather', id: 'c', input: { place: 'Oslo' } }], 'tool_use');
    const upstreams = scriptedUpstreams({ anthropic: [search('weather'), search('rain'), call] });
    const clock = { now: Date.now, after: () => () => undefined };
    const running = await runningGateway({ upstreams, clock, settings: { batchConcurrency: 1 } });
    const { anthropic, store, url } = running;
    const { id } = await anthropic.beta.messages.batches.create({
      betas: ['some-beta-2026-01-01'],
      requests: [{ custom_id: 'a', params: { ...PARAMS, tools: TOOLS, tool_choice: FORCED } }],
    });
    await ended(anthropic, id);
    const [line] = await resultsOf(anthropic, id);
    expect(line?.result).toMatchObject({
      type: 'succeeded',
      message: {
        content: [
          { text: 'weather?' },
          { type: 'server_tool_use', id: 'srvtoolu_s' },
          { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_s' },
          { text: 'rain?' },
          { type: 'server_tool_use', id: 'srvtoolu_s_2' },
          { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_s_2' },
          { type: 'tool_use', name: 'get_weather', caller: { type: 'direct' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 30, output_tokens: 15, server_tool_use: { tool_search_requests: 2 } },
      },
    });
    expect(upstreams.requests.map(({ tool_choice: choice }) => choice)).toMatchObject([FORCED, AUTO, AUTO]);
    for (const headers of upstreams.headers) {
      expect(headers.get('anthropic-beta')).toContain('some-beta-2026-01-01');
      expect(headers.get('anthropic-version')).toBe('2026-10-21');
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_tokens_total{direction="input"} 30');
    expect(metrics).toContain('quartermaster_batch_items_total{outcome="succeeded"} 1');
    const kept = store.usage;
    await running.stop();
    expect(await kept.days({ owner: '', from: '2026-01-01', to: '9999-12-31' })).toEqual([
      { day: expect.any(String), requests: 1, searches: 2, inputTokens: 30, outputTokens: 15 },
    ]);
    // A tool that only the request knows is no one's to keep.
    expect(await kept.tools({ limit: 5 })).toEqual([]);
  });

  it('go on after a call that is refused, of which the client is shown nothing', async () => {
    const call = (name: string) =>
      message([{ call: 'tool_call', id: 'c', input: { name, arguments: { place: 'Oslo' } } }], 'tool_use');
    const rounds = { anthropic: [call('get_wether_forecast'), call('get_weather')] };
    const upstreams = scriptedUpstreams(rounds, { upstream: { form: 'bridge' } });
    const { anthropic } = await runningGateway({
      ...{ upstreams, transcripts: { keep: 'off', retentionHours: 1, maxBytes: 1 } },
    });
    const params = { ...PARAMS, tools: TOOLS };
    const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
    await ended(anthropic, id);
    expect(await resultsOf(anthropic, id)).toMatchObject([
      { result: { message: { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'get_weather' }] } } },
    ]);
    expect(upstreams.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(upstreams.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', is_error: true }],
    });
  });

  it.each(TRANSPORTS)('ask a host what the same request asks it alone, over %s', async (transport) => {
    const request = { ...ASK, tools: [REGEX, WEATHER, FILES] };
    const alone = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL }, { transport });
    const message = await (await runningGateway({ upstreams: alone })).anthropic.messages.create(request);
    const upstreams = scriptedUpstreams({ anthropic: SEARCH_THEN_CALL }, { transport });
    const { anthropic } = await runningGateway({ upstreams });
    const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params: request }] });
    await ended(anthropic, id);
    expect(upstreams.requests.map(({ stream: _, ...rest }) => rest)).toEqual(alone.requests);
    expect(await resultsOf(anthropic, id)).toMatchObject([{ result: { message: { content: message.content } } }]);
  });

  it('are listed by pages, the newest first', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, HELLO, HELLO] });
    const { anthropic } = await runningGateway({ upstreams });
    const ids: string[] = [];
    for (const custom_id of ['a', 'b', 'c']) {
      ids.unshift((await anthropic.messages.batches.create({ requests: [{ custom_id, params: PARAMS }] })).id);
    }
    const listed: string[] = [];
    for await (const { id } of anthropic.messages.batches.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids);
  });

  it('can be cancelled', async () => {
    const never = new Promise<never>(() => undefined);
    const upstreams = scriptedUpstreams({ anthropic: [[never]] });
    const waiting: (() => void)[] = [];
    const clock = {
      now: () => Date.now(),
      after: (_: number, run: () => void) => {
        waiting.push(run);
        return () => undefined;
      },
    };
    const { anthropic } = await runningGateway({ upstreams, clock, settings: { batchConcurrency: 1 } });
    const { id } = await anthropic.messages.batches.create({
      requests: ['a', 'b'].map((custom_id) => ({ custom_id, params: PARAMS })),
    });
    while (upstreams.requests.length === 0) await anthropic.messages.batches.retrieve(id);
    await expect(anthropic.messages.batches.delete(id)).rejects.toMatchObject({ status: 400 });
    await expect(anthropic.messages.batches.results(id)).rejects.toThrow('Has it finished processing?');
    expect(await anthropic.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
    for (const run of waiting.splice(0)) run();
    const batch = await ended(anthropic, id);
    expect(batch.request_counts).toMatchObject({ canceled: 2, processing: 0 });
    expect(await resultsOf(anthropic, id)).toMatchObject([
      { result: { type: 'canceled' } },
      { result: { type: 'canceled' } },
    ]);
    expect(upstreams.aborted.count).toBe(1);
  });

  it('a gateway that stops gives its items back for another one to finish', async () => {
    const never = new Promise<never>(() => undefined);
    const first = scriptedUpstreams({ anthropic: [[never]] });
    const second = scriptedUpstreams({ anthropic: [HELLO] });
    const { anthropic, store } = await runningGateway({ upstreams: second, settings: { batchConcurrency: 0 } });
    const other = await runningGateway({ upstreams: first, store });
    const { id } = await other.anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params: PARAMS }] });
    while (first.requests.length === 0) await other.anthropic.messages.batches.retrieve(id);
    await other.close();
    const third = await runningGateway({ upstreams: second, store });
    const batch = await ended(third.anthropic, id);
    expect(batch.request_counts.succeeded).toBe(1);
    expect(batch.results_url).toBe(`${third.url}/v1/messages/batches/${id}/results`);
    expect(await resultsOf(anthropic, id)).toMatchObject([{ result: { type: 'succeeded' } }]);
  });

  it.each([
    ['no requests', { requests: [] }],
    ['a custom id twice', { requests: ['a', 'a'].map((custom_id) => ({ custom_id, params: PARAMS })) }],
    ['a bad custom id', { requests: [{ custom_id: 'a b', params: PARAMS }] }],
    ['no params', { requests: [{ custom_id: 'a' }] }],
  ])('refuse %s', async (_, body) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await post('/v1/messages/batches', body)).status).toBe(400);
  });

  it('belong to the key that created them', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [HELLO] });
    const { post, store, url } = await runningGateway({ upstreams });
    const permissions = { models: ['*'], catalogs: ['*'], limits: {} };
    const mine = await store.keys.create({ name: 'mine', ...permissions });
    const other = await store.keys.create({ name: 'other', ...permissions });
    const body = { requests: [{ custom_id: 'a', params: PARAMS }] };
    const created = await post('/v1/messages/batches', body, { 'x-api-key': mine.secret });
    const { id } = (await created.json()) as { id: string };
    const get = (secret: string) => fetch(`${url}/v1/messages/batches/${id}`, { headers: { 'x-api-key': secret } });
    expect((await get(mine.secret)).status).toBe(200);
    expect((await get(other.secret)).status).toBe(404);
  });
});
