import { INSIGHT_DEFAULTS } from '@quartermaster/host/config';
import { hashApiKey } from '@quartermaster/host/store';
import { type ChatChunk, chatWhole } from '@quartermaster/wires/openai-chat';
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from './events/index.ts';
import type { LogEntry } from './logger.ts';
import { inProcess, testHub } from './mcp/mcp-servers.fixture.ts';
import { movedClock } from './moved-clock.fixture.ts';
import { type RunningGateway, runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from './scripted-upstream.fixture.ts';

const TOOLS = Array.from({ length: 60 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the thing number ${index}, with a text that is long enough to be worth keeping out of a prompt`,
  input_schema: {
    type: 'object' as const,
    properties: { value: { type: 'string', description: 'what to do it with' } },
  },
  defer_loading: true,
}));
const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather',
  input_schema: { type: 'object' as const },
  defer_loading: true,
};
const SEARCH_TOOL = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const ASK = {
  model: 'claude-test',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Weather?' }],
  tools: [SEARCH_TOOL, ...TOOLS, WEATHER],
};
const SEARCH = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'weather' } }], 'tool_use');
const CALL = message([{ call: 'get_weather', id: 'w', input: {} }], 'tool_use');

function chatCall(name: string, input: object): readonly ChatChunk[] {
  const call = { id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  const choice = { index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' };
  const frame = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'claude-test' };
  return chatWhole.toParts({ ...frame, choices: [choice] });
}

async function activityOf({ url }: RunningGateway, query = ''): Promise<readonly RequestRecord[]> {
  const { data } = (await (await fetch(`${url}/v1/activity${query}`)).json()) as { data: readonly RequestRecord[] };
  return data;
}

async function answered(isStream = false) {
  const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
  const response = await gateway.post('/v1/messages', { ...ASK, stream: isStream });
  expect(response.status).toBe(200);
  await response.text();
  return { ...gateway, id: response.headers.get('request-id') ?? '' };
}

describe('activity', () => {
  it.each([false, true])(
    'tells a request whole: decision, searches, loads, calls and net (stream: %s)',
    async (stream) => {
      const gateway = await answered(stream);
      const [record] = await activityOf(gateway);
      expect(record).toMatchObject({
        id: gateway.id,
        route: 'messages',
        status: 200,
        model: 'claude-test',
        decision: 'defer',
        rounds: 2,
        searches: [
          { outcome: 'match', engine: 'bm25', queryCount: 1, found: ['get_weather'], scores: [expect.any(Number)] },
        ],
        loaded: [{ tool: 'get_weather', by: 'search' }],
        called: ['get_weather'],
        refused: [],
      });
      expect(record?.steps.map(({ kind }) => kind)).toEqual(['model', 'search', 'model']);
      const ends = record?.steps.map(({ fromMs, tookMs }) => fromMs + tookMs) ?? [];
      expect(Math.max(...ends)).toBeLessThanOrEqual(Math.ceil(record?.durationMs ?? 0));
      expect(record?.searches[0]).not.toHaveProperty('queries');
      const { tokens } = record ?? {};
      expect(tokens?.keptOut).toBeGreaterThan(1_000);
      expect(tokens?.repeated).toBeGreaterThan(0);
      expect(tokens?.net).toBe((tokens?.keptOut ?? 0) - (tokens?.added ?? 0));
      expect(await (await fetch(`${gateway.url}/v1/activity/${gateway.id}`)).json()).toEqual(record);
    },
  );

  it('knows a tool of a catalog that was loaded and called by one id, whatever the model calls it', async () => {
    const called = message([{ call: 'weather__get_weather', id: 'w', input: {} }], 'tool_use');
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, called] }) });
    const { input_schema: inputSchema, ...weather } = WEATHER;
    const sky = JSON.stringify([{ ...weather, server: 'weather', inputSchema }]);
    await fetch(`${gateway.url}/v1/catalogs/sky`, { method: 'PUT', body: sky });
    const tools = [SEARCH_TOOL, ...TOOLS, { type: 'quartermaster_catalog', name: 'sky', defer_loading: true }];
    await (await gateway.post('/v1/messages', { ...ASK, tools })).text();
    expect(await activityOf(gateway)).toMatchObject([
      { loaded: [{ tool: 'weather/get_weather', by: 'search' }], called: ['weather/get_weather'] },
    ]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_tools_found_total 1\n');
    expect(metrics).not.toMatch(/^quartermaster_tools_found_not_called_total\{.*\} [1-9]/m);
  });

  it('counts what a bridge found and did not call, although its answers hold no definitions', async () => {
    const search = chatCall('tool_search', { query: 'weather thing' });
    const call = chatCall('tool_call', { name: 'get_weather', arguments: {} });
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ chat: [search, call] }) });
    const tools = [...TOOLS, WEATHER].map(({ name, description, input_schema: parameters }) => ({
      ...{ type: 'function', function: { name, description, parameters }, defer_loading: true },
    }));
    const body = { model: 'claude-test', messages: ASK.messages, tools: [{ type: 'tool_search' }, ...tools] };
    expect((await gateway.post('/v1/chat/completions', body)).status).toBe(200);
    const [record] = await activityOf(gateway);
    expect(record).toMatchObject({ form: 'omit answer wrapped', loaded: [], called: ['get_weather'] });
    const found = record?.searches[0]?.found ?? [];
    expect(found).toContain('get_weather');
    expect(found.length).toBeGreaterThan(1);
    const savings = await (await fetch(`${gateway.url}/v1/savings`)).json();
    expect(savings).toMatchObject({ total: { found: found.length, unused: found.length - 1 } });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`quartermaster_tools_found_not_called_total{model="claude-test"} ${found.length - 1}\n`);
  });

  it('holds the texts of searches where the settings say so', async () => {
    const settings = { insight: { ...INSIGHT_DEFAULTS, keep: 'queries' } } as const;
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }), settings });
    await (await gateway.post('/v1/messages', ASK)).text();
    expect(await activityOf(gateway)).toMatchObject([
      { searches: [{ queries: ['weather'], tools: ['get_weather'], reasons: ['"weather"'] }] },
    ]);
  });

  it('shows a loss as a loss', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
    const body = { ...ASK, tools: [SEARCH_TOOL, WEATHER] };
    await (await gateway.post('/v1/messages', body)).text();
    const [record] = await activityOf(gateway, '?outcome=loss');
    expect(record?.tokens?.net).toBeLessThan(0);
    const savings = (await (await fetch(`${gateway.url}/v1/savings`)).json()) as { total: { net: number } };
    expect(savings.total.net).toBe(record?.tokens?.net);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`quartermaster_tokens_saved_total{model="claude-test",key=""} ${record?.tokens?.net}\n`);
  });

  it.each([
    ['refuses it', [upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } })]],
    ['stops in the middle', [...CALL.slice(0, 2), new Error('cut')]],
  ])('lists a request as failed, and credits tool search with nothing, if its host %s', async (_, round) => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [round] }) });
    await (await gateway.post('/v1/messages', { ...ASK, stream: true })).text();
    const [record] = await activityOf(gateway, '?outcome=failed');
    expect(record).toMatchObject({ decision: 'defer', rounds: 1, error: expect.any(String) });
    expect(record).not.toHaveProperty('tokens');
    const savings = await (await fetch(`${gateway.url}/v1/savings`)).json();
    expect(savings).toMatchObject({ total: { requests: 1, deferred: 0, keptOut: 0, added: 0, net: 0 } });
  });

  it('says what kind of error a request failed with', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}) });
    await gateway.post('/v1/messages', {});
    expect(await activityOf(gateway, '?outcome=failed')).toMatchObject([
      { status: 400, error: 'invalid_request_error' },
    ]);
  });

  it('counts the latest requests by outcome on request', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
    await (await gateway.post('/v1/messages', { ...ASK, tools: [SEARCH_TOOL, WEATHER] })).text();
    const answer = await (await fetch(`${gateway.url}/v1/activity?limit=1&counts=true`)).json();
    expect(answer).toMatchObject({
      counts: { requests: 1, nothing: 0, refused: 0, unsearched: 0, failed: 0, loss: 1 },
    });
  });

  it('is in the log line of the request', async () => {
    const { log, id } = await answered();
    await expect
      .poll(() => log.find((entry) => entry.requestId === id))
      .toMatchObject({ decision: 'defer', rounds: 2, searches: 1, tokensNet: expect.any(Number) });
  });

  it('is sent live', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
    const live = await fetch(`${gateway.url}/v1/activity/live`);
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain(': live');
    await (await gateway.post('/v1/messages', ASK)).text();
    const { value = '' } = (await reader?.read()) ?? {};
    expect(value).toMatch(/^event: request\ndata: \{"id":"req_/);
    await reader?.cancel();
  });

  it.each([false, true])(
    'lists and sends a request while it is answered, to its own key (stream: %s)',
    async (stream) => {
      let goOn: () => void = () => undefined;
      const pause = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const [start, ...rest] = CALL;
      const gateway = await runningGateway({
        upstreams: scriptedUpstreams({ anthropic: [SEARCH, start === undefined ? [] : [start, pause, ...rest]] }),
      });
      const rights = { models: ['*'], catalogs: ['*'], limits: {} };
      const [ann, bob] = await Promise.all([
        gateway.store.keys.create({ name: 'ann', ...rights }),
        gateway.store.keys.create({ name: 'bob', ...rights }),
      ]);
      const headers = { 'x-api-key': ann.secret };
      const runningFor = async (key: string): Promise<unknown> => {
        const answer = await fetch(`${gateway.url}/v1/activity?limit=1`, { headers: { 'x-api-key': key } });
        return ((await answer.json()) as { running?: { data: unknown } }).running?.data;
      };
      await expect.poll(async () => (await fetch(`${gateway.url}/v1/activity`)).status, { timeout: 10_000 }).toBe(401);
      const live = await fetch(`${gateway.url}/v1/activity/live`, { headers });
      const answer = gateway.post('/v1/messages', { ...ASK, stream }, headers);
      // A stream is one from the first part of the first round on.
      await expect
        .poll(() => runningFor(ann.secret), { timeout: 10_000 })
        .toMatchObject([
          { state: 'waiting', key: 'ann', model: 'claude-test', decision: 'defer', rounds: 2, searches: 1 },
        ]);
      expect(await runningFor(bob.secret)).toEqual([]);
      const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('event: running')) text += (await reader?.read())?.value ?? '';
      goOn();
      await (await answer).text();
      await expect.poll(() => runningFor(ann.secret), { timeout: 10_000 }).toEqual([]);
      while (!/event: running\ndata: \{"nowMs":[\d.]+,"total":0,"data":\[\]\}/.test(text)) {
        text += (await reader?.read())?.value ?? '';
      }
      expect(text).toContain('event: request\n');
      await reader?.cancel();
    },
  );

  it('is sent with what happens to servers, to those who manage them', async () => {
    const hub = testHub({ mail: inProcess({ send_mail: { description: 'Send a mail' } }) });
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub } });
    const live = await fetch(`${gateway.url}/v1/activity/live`);
    await hub.start();
    await gateway.stop();
    expect(await live.text()).toMatch(/event: server\ndata: \{"kind":"server-change","server":"mail","state":"ready"/);
  });

  it('is not sent of servers to a key that only uses them', async () => {
    const hub = testHub({ mail: inProcess({ send_mail: { description: 'Send a mail' } }) });
    const keys = [{ name: 'ann', hash: hashApiKey('ann'), models: ['*'], catalogs: ['*'], limits: {} }];
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub }, keys });
    const live = await fetch(`${gateway.url}/v1/activity/live`, { headers: { 'x-api-key': 'ann' } });
    await hub.start();
    await gateway.stop();
    expect(await live.text()).toBe(': live\n\n');
  });

  it('is not sent of keys to a stream that was opened without one', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
    const live = await fetch(`${gateway.url}/v1/activity/live`);
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const { secret } = await gateway.store.keys.create({ name: 'ann', ...rights });
    await expect.poll(async () => (await fetch(`${gateway.url}/v1/activity`)).status, { timeout: 10_000 }).toBe(401);
    await (await gateway.post('/v1/messages', ASK, { 'x-api-key': secret })).text();
    await gateway.stop();
    expect(await live.text()).toBe(': live\n\n');
  });

  it('is not sent of servers to a stream without a key once there is one', async () => {
    const hub = testHub({ mail: inProcess({ send_mail: { description: 'Send a mail' } }) });
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub } });
    const live = await fetch(`${gateway.url}/v1/activity/live`);
    await gateway.store.keys.create({ name: 'ann', models: ['*'], catalogs: ['*'], limits: {} });
    await expect.poll(async () => (await fetch(`${gateway.url}/v1/activity`)).status, { timeout: 10_000 }).toBe(401);
    await hub.start();
    await gateway.stop();
    expect(await live.text()).toBe(': live\n\n');
  });

  it('is no longer sent of all keys once the key that follows may not see them', async () => {
    const clock = movedClock(Date.now());
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}), clock });
    const rights = { models: ['*'], catalogs: ['*'], limits: {}, role: 'admin' } as const;
    const { key, secret } = await gateway.store.keys.create({ name: 'root', ...rights });
    const live = await fetch(`${gateway.url}/v1/activity/live`, { headers: { 'x-api-key': secret } });
    let isOver = false;
    const ended = live.text().then(() => {
      isOver = true;
    });
    await gateway.store.keys.update(key.id, { role: 'consumer' });
    const isOverAfterPing = (): boolean => {
      clock.move(15_000);
      return isOver;
    };
    await expect.poll(isOverAfterPing).toBe(true);
    await ended;
  });

  it('is sent to twenty streams of a key, and to one more when one of them ends', async () => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const open = () => fetch(`${url}/v1/activity/live`);
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    expect((await open()).status).toBe(429);
    await streams[0]?.body?.cancel();
    await expect.poll(async () => (await open()).status, { timeout: 10_000 }).toBe(200);
  });

  it('does not keep a gateway from stopping while it is followed', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const live = await fetch(`${gateway.url}/v1/activity/live`);
    await gateway.stop();
    expect(await live.text()).toBe(': live\n\n');
  });

  it('of one key is not shown to another', async () => {
    const gateway = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [SEARCH, CALL] }) });
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const [ann, bob] = await Promise.all([
      gateway.store.keys.create({ name: 'ann', ...rights }),
      gateway.store.keys.create({ name: 'bob', ...rights }),
    ]);
    await expect.poll(async () => (await fetch(`${gateway.url}/v1/activity`)).status, { timeout: 10_000 }).toBe(401);
    await (await gateway.post('/v1/messages', ASK, { 'x-api-key': ann.secret })).text();
    const seenBy = async (secret: string): Promise<unknown> =>
      (await fetch(`${gateway.url}/v1/activity`, { headers: { 'x-api-key': secret } })).json();
    expect(await seenBy(ann.secret)).toMatchObject({ data: [{ owner: ann.key.id }] });
    expect(await seenBy(bob.secret)).toEqual({
      ...{ data: [], keep: 'off' },
      running: { nowMs: expect.any(Number), total: 0, data: [] },
    });
    const boss = await gateway.store.keys.create({ name: 'boss', ...rights, role: 'admin' });
    expect(await seenBy(boss.secret)).toMatchObject({ data: [{ owner: ann.key.id }] });
  });

  it.each(['?outcome=nope', '?limit=0', '?limit=501', '?before=x', '?counts=1'])('refuses %s', async (query) => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await fetch(`${url}/v1/activity${query}`)).status).toBe(400);
  });
});

describe('the debug log', () => {
  it('explains each decision if requested, and says nothing otherwise', async () => {
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry): number => entries.push(entry);
    const upstreams = scriptedUpstreams({ anthropic: [SEARCH, CALL] });
    const { post, url } = await runningGateway({ upstreams, logger: { log, isDebugging: true } });
    await (await post('/v1/messages', ASK)).text();
    await (await fetch(`${url}/v1/nowhere`)).text();
    const [record] = await activityOf({ url } as RunningGateway);
    expect(entries.filter(({ level }) => level === 'debug')).toMatchObject([
      { event: 'decision', requestId: record?.id, decision: 'defer', reason: record?.reason },
      { event: 'search', requestId: record?.id, outcome: 'match', engine: 'bm25', found: 'get_weather' },
      { event: 'load', requestId: record?.id, tool: 'get_weather', by: 'search' },
    ]);
    expect(entries.find(({ status }) => status === 404)).toMatchObject({ route: 'unknown', path: '/v1/nowhere' });
    const quiet = await answered();
    expect(quiet.log.filter(({ level }) => level === 'debug')).toEqual([]);
  });
});
