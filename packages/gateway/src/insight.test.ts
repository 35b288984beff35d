import { INSIGHT_DEFAULTS, type InsightSettings } from '@quartermaster/host/config';
import { openStore, type Store } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestRecord } from './events/index.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { inProcess, testHub } from './mcp/mcp-servers.fixture.ts';
import { type RunningGateway, runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const TOOLS = Array.from({ length: 40 }, (_, index) => ({
  name: `report_${index}`,
  description: `Writes report number ${index} of a year, with a text that is worth keeping out of a prompt`,
  input_schema: { type: 'object' as const, properties: { year: { type: 'integer' } } },
}));
const WEATHER = { name: 'get_weather', description: 'Get the weather', input_schema: { type: 'object' as const } };
const SEARCH_TOOL = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const ASK = {
  model: 'claude-test',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Weather?' }],
  tools: [SEARCH_TOOL, ...[...TOOLS, WEATHER].map((tool) => ({ ...tool, defer_loading: true }))],
};
const SEARCH = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'weather' } }], 'tool_use');
const CALL = message([{ call: 'get_weather', id: 'w', input: {} }], 'tool_use');
const NOTHING = message([{ text: 'I have no tool for that.' }], 'end_turn');

async function sharedStore(): Promise<Store> {
  const store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

function running(
  rounds: readonly (typeof SEARCH)[],
  { insight = {}, ...more }: Partial<GatewayOptions> & { readonly insight?: Partial<InsightSettings> } = {},
): Promise<RunningGateway> {
  const settings = { ...more.settings, insight: { ...INSIGHT_DEFAULTS, ...insight } };
  return runningGateway({ upstreams: scriptedUpstreams({ anthropic: rounds }), ...more, settings });
}

async function get<Answer>({ url }: Pick<RunningGateway, 'url'>, path: string, key?: string): Promise<Answer> {
  const response = await fetch(url + path, { headers: key === undefined ? {} : { 'x-api-key': key } });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

interface SavingsAnswer {
  readonly total: Readonly<Record<string, number>> & { readonly usd?: { readonly net: number } };
  readonly prices?: Readonly<Record<string, object>>;
  readonly byCatalog: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly byKey: object;
  readonly keyNames: object;
  readonly unpriced: readonly string[];
}

async function recordsOf(gateway: RunningGateway, query = ''): Promise<readonly RequestRecord[]> {
  return (await get<{ data: readonly RequestRecord[] }>(gateway, `/v1/activity${query}`)).data;
}

describe('stored insight', () => {
  it.each([
    { keep: 'off', isCounted: false, isListed: false },
    { keep: 'counts', isCounted: true, isListed: false },
    { keep: 'queries', isCounted: true, isListed: true },
  ] as const)('with $keep outlasts a restart as far as the settings say', async ({ keep, isCounted, isListed }) => {
    const store = await sharedStore();
    const before = await running([SEARCH, CALL], { store, insight: { keep } });
    await (await before.post('/v1/messages', ASK)).text();
    const { total } = await get<SavingsAnswer>(before, '/v1/savings');
    expect(total).toMatchObject({ requests: 1, deferred: 1, searched: 1, searches: 1, found: 1, unused: 0 });
    await before.stop();
    const after = await running([], { store, insight: { keep } });
    const kept = await get<SavingsAnswer>(after, '/v1/savings');
    expect(kept.total.net).toBe(isCounted ? total.net : 0);
    const records = await recordsOf(after);
    expect(records.map(({ searches }) => searches[0]?.queries)).toEqual(isListed ? [['weather']] : []);
    if (isListed) {
      const [first] = records;
      expect(await get(after, `/v1/activity/${first?.id}`)).toEqual(first);
      expect(await recordsOf(after, '?outcome=nothing')).toEqual([]);
    }
  });

  it('of an earlier version is read with the names that it lacks', async () => {
    const store = await sharedStore();
    const before = await running([SEARCH, CALL], { store, insight: { keep: 'queries' } });
    await (await before.post('/v1/messages', ASK)).text();
    await before.stop();
    const [kept] = await store.insight.records({ owner: undefined, limit: 1 });
    if (kept === undefined) throw new Error('Nothing is stored');
    const old = JSON.parse(kept.record) as RequestRecord;
    const loaded = old.loaded.map(({ name: _, ...rest }) => rest);
    await store.insight.add({
      cells: [],
      records: [{ ...kept, id: 'old', record: JSON.stringify({ ...old, id: 'old', loaded }) }],
    });
    const after = await running([], { store, insight: { keep: 'queries' } });
    expect(await get(after, '/v1/activity/old')).toMatchObject({
      loaded: old.loaded.map(({ tool }) => ({ tool, name: tool })),
    });
  });

  it('of one key is not shown to another, and names the keys', async () => {
    const store = await sharedStore();
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const ann = await store.keys.create({ name: 'ann', ...rights });
    const bob = await store.keys.create({ name: 'bob', ...rights });
    const before = await running([SEARCH, CALL], { store, insight: { keep: 'queries' } });
    await (await before.post('/v1/messages', ASK, { 'x-api-key': ann.secret })).text();
    await before.stop();
    const after = await running([], { store, insight: { keep: 'queries' } });
    const seen = await get<SavingsAnswer>(after, '/v1/savings', ann.secret);
    expect(seen).toMatchObject({ total: { requests: 1 }, keyNames: { [ann.key.id]: 'ann' } });
    const { data } = await get<{ data: readonly RequestRecord[] }>(after, '/v1/activity', ann.secret);
    expect(data).toMatchObject([{ key: 'ann' }]);
    expect(await get(after, '/v1/savings', bob.secret)).toMatchObject({ total: { requests: 0 }, byKey: {} });
    expect(await get(after, '/v1/activity', bob.secret)).toMatchObject({ data: [] });
    const foreign = await fetch(`${after.url}/v1/activity/${data[0]?.id}`, { headers: { 'x-api-key': bob.secret } });
    expect(foreign.status).toBe(404);
  });
});

describe('what a model was sent', () => {
  it('is held where the settings say so, for the key that asked, with the note, the tools and the answer', async () => {
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const store = await sharedStore();
    const ann = await store.keys.create({ name: 'ann', ...rights });
    const bob = await store.keys.create({ name: 'bob', ...rights });
    const gateway = await running([SEARCH, CALL], { store, insight: { wire: true } });
    const response = await gateway.post('/v1/messages', { ...ASK, stream: true }, { 'x-api-key': ann.secret });
    await response.text();
    const path = `/v1/activity/${response.headers.get('request-id')}/wire`;
    const { data } = await get<{ data: readonly { request: string; response: string; isCut: boolean }[] }>(
      ...([gateway, path, ann.secret] as const),
    );
    expect(data).toMatchObject([{ isCut: false, upstream: 'scripted', dialect: 'anthropic' }, { isCut: false }]);
    const [first, second] = data.map(({ request }) => JSON.parse(request) as { tools: { name: string }[] });
    expect(first?.tools.map(({ name }) => name)).toEqual(['tool_search_tool_bm25']);
    expect(JSON.stringify(second)).toContain('get_weather');
    expect(data[1]?.response).toContain('get_weather');
    expect(JSON.stringify(data)).not.toContain(ann.secret);
    expect((await fetch(gateway.url + path, { headers: { 'x-api-key': bob.secret } })).status).toBe(404);
  });

  it('is not held unless the settings say so', async () => {
    const gateway = await running([SEARCH, CALL]);
    const response = await gateway.post('/v1/messages', ASK);
    const answer = await fetch(`${gateway.url}/v1/activity/${response.headers.get('request-id')}/wire`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('insight.wire');
  });
});

describe('savings', () => {
  it('are in dollars where the settings have a price, signed, with the break-even and by catalog', async () => {
    const settings = { prices: { 'claude-*': { input: 1_000_000 } } };
    const gateway = await running([NOTHING, NOTHING, NOTHING], { settings });
    const catalog = [SEARCH_TOOL, { type: 'quartermaster_catalog', name: 'reports', defer_loading: true }];
    await fetch(`${gateway.url}/v1/catalogs/reports`, { method: 'PUT', body: JSON.stringify({ tools: TOOLS }) });
    await (await gateway.post('/v1/messages', { ...ASK, tools: catalog })).text();
    await (
      await gateway.post('/v1/messages', { ...ASK, tools: [SEARCH_TOOL, { ...WEATHER, defer_loading: true }] })
    ).text();
    await (await gateway.post('/v1/messages', { ...ASK, model: 'local' })).text();
    const { total, byCatalog, unpriced } = await get<SavingsAnswer>(gateway, '/v1/savings');
    expect(Object.keys(byCatalog).sort()).toEqual(['', 'reports']);
    expect(total).toMatchObject({ requests: 3, deferred: 3 });
    expect(total.breakEven).toBe(Math.round((total.added ?? 0) / 3));
    expect(byCatalog.reports).toMatchObject({ usd: { net: byCatalog.reports?.net } });
    expect(unpriced).toEqual(['local']);
  });

  it.each([
    ['what the settings say', { input: 1_000_000, cacheRead: 250_000 }, 0.25],
    ['a tenth, if they say nothing', { input: 1_000_000 }, 0.1],
  ])('have a lower end: cached definitions at %s', async (_, price, part) => {
    const gateway = await running([NOTHING], { settings: { prices: { 'claude-*': price } } });
    await (await gateway.post('/v1/messages', ASK)).text();
    const { total, prices } = await get<SavingsAnswer>(gateway, '/v1/savings');
    expect(total.net).not.toBe(0);
    expect(total.usd).toMatchObject({ net: total.net, netCached: expect.closeTo((total.net ?? 0) * part) });
    expect(prices).toEqual({ [ASK.model]: price });
  });
});

describe('a search that found nothing', () => {
  it('is listed once with the nearest tools, and becomes a labelled request and a hint that finds the tool', async () => {
    const lost = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'umbrella' } }], 'tool_use');
    const gateway = await running([lost, NOTHING, lost, NOTHING], { insight: { keep: 'queries' } });
    const put = { method: 'PUT', body: JSON.stringify({ tools: [...TOOLS.slice(0, 5), WEATHER] }) };
    await fetch(`${gateway.url}/v1/catalogs/all`, put);
    const body = { ...ASK, tools: [SEARCH_TOOL, { type: 'quartermaster_catalog', name: 'all' }] };
    for (let turn = 0; turn < 2; turn += 1) await (await gateway.post('/v1/messages', body)).text();
    const { data } = await get<{ data: readonly { nearest: readonly { tool: string }[] }[] }>(
      ...([gateway, '/v1/searches/unanswered'] as const),
    );
    expect(data).toMatchObject([{ query: 'umbrella', catalogs: ['all'], times: 2 }]);
    expect(data[0]?.nearest.map(({ tool }) => tool)).toContain('get_weather');

    const labelled = { query: 'umbrella', tools: ['get_weather'] };
    expect((await gateway.post('/v1/catalogs/all/cases', labelled)).status).toBe(200);
    const cases = await get<{ data: readonly object[] }>(gateway, '/v1/catalogs/all/cases');
    expect(cases.data).toMatchObject([labelled]);
    const evaluated = async (): Promise<unknown> =>
      (await gateway.post('/v1/catalogs/all/evaluate', { cases: [labelled], engine: 'bm25' })).json();
    const before = await evaluated();
    const hint = { tool: 'get_weather', hint: 'do I need an umbrella' };
    expect(await (await gateway.post('/v1/catalogs/all/hints', hint)).json()).toMatchObject({ version: 2 });
    const after = await evaluated();
    expect(JSON.stringify(before)).not.toBe(JSON.stringify(after));
    const found = await gateway.post('/v1/catalogs/all/search', { query: 'umbrella', engine: 'bm25' });
    expect(await found.json()).toMatchObject({ results: [{ hits: [{ tool: 'get_weather' }] }] });
    for (const query of ['..', '.', 'a/b', '%2f', 'a?b#c', 'x%00y']) {
      expect((await gateway.post('/v1/catalogs/all/cases', { ...labelled, query })).status).toBe(200);
      const address = `${gateway.url}/v1/catalogs/all/cases?query=${encodeURIComponent(query)}`;
      const removed = await fetch(address, { method: 'DELETE' });
      expect(await removed.json()).toEqual({ type: 'case_deleted', query });
    }
    const left = await get<{ data: readonly object[] }>(gateway, '/v1/catalogs/all/cases');
    expect(left.data).toMatchObject([labelled]);
    expect((await fetch(`${gateway.url}/v1/catalogs/all/cases`, { method: 'DELETE' })).status).toBe(400);
    const wrong = await gateway.post('/v1/catalogs/all/cases', { query: 'x', tools: ['nope'] });
    expect(await wrong.text()).toContain("'nope' is not a tool of this catalog");
  });

  it('that is labelled with a tool is not shown to a key that may not use it', async () => {
    const gateway = await running([]);
    const keyed = async (name: string, permissions: object) => {
      const all = { models: ['*'], catalogs: ['*'], limits: {} };
      return { 'x-api-key': (await gateway.store.keys.create({ name, ...all, ...permissions })).secret };
    };
    const headers = await keyed('admin', { role: 'admin' });
    const limited = await keyed('limited', { tools: { deny: ['get_weather'] } });
    const body = JSON.stringify({ tools: [...TOOLS, WEATHER] });
    await fetch(`${gateway.url}/v1/catalogs/all`, { method: 'PUT', body, headers });
    for (const tool of ['get_weather', 'report_1']) {
      await gateway.post('/v1/catalogs/all/cases', { query: `about ${tool}`, tools: [tool] }, headers);
    }
    const listed = await fetch(`${gateway.url}/v1/catalogs/all/cases`, { headers: limited });
    expect(await listed.json()).toMatchObject({ data: [{ tools: ['report_1'] }] });
  });

  it('that is labelled belongs to its catalog: without the catalog there is none', async () => {
    const gateway = await running([]);
    const put = { method: 'PUT', body: JSON.stringify({ tools: [WEATHER] }) };
    await fetch(`${gateway.url}/v1/catalogs/all`, put);
    await gateway.post('/v1/catalogs/all/cases', { query: 'rain', tools: ['get_weather'] });
    await fetch(`${gateway.url}/v1/catalogs/all`, { method: 'DELETE' });
    expect((await fetch(`${gateway.url}/v1/catalogs/all/cases`)).status).toBe(404);
    await fetch(`${gateway.url}/v1/catalogs/all`, put);
    expect(await get(gateway, '/v1/catalogs/all/cases')).toEqual({ data: [] });
  });

  it('leads to hints that are all kept, however many come at once', async () => {
    const gateway = await running([]);
    await fetch(`${gateway.url}/v1/catalogs/all`, { method: 'PUT', body: JSON.stringify({ tools: [WEATHER] }) });
    const hints = Array.from({ length: 10 }, (_, at) => `hint ${at}`);
    const answers = await Promise.all(
      hints.map((hint) => gateway.post('/v1/catalogs/all/hints', { tool: 'get_weather', hint })),
    );
    expect(answers.map(({ status }) => status)).toEqual(hints.map(() => 200));
    const stored = (await gateway.store.catalogs.get('all'))?.tools ?? '';
    expect(hints.filter((hint) => !stored.includes(hint))).toEqual([]);
  });

  it('is only counted where texts are not recorded', async () => {
    const lost = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'zebra' } }], 'tool_use');
    const gateway = await running([lost, NOTHING]);
    await (await gateway.post('/v1/messages', ASK)).text();
    expect(await get(gateway, '/v1/searches/unanswered')).toEqual({ data: [], withoutText: 1 });
  });
});

describe('reach', () => {
  it('is told by model and form once there are enough responses, with advice where a model does not search', async () => {
    const gateway = await running(Array.from({ length: 20 }, () => NOTHING));
    for (let turn = 0; turn < 20; turn += 1) await (await gateway.post('/v1/messages', ASK)).text();
    const { data } = await get<{ data: readonly object[] }>(gateway, '/v1/reach');
    expect(data).toMatchObject([{ model: 'claude-test', deferred: 20, neither: 20, searched: 0, isPoor: true }]);
    expect(JSON.stringify(data)).toContain('deferral: adaptive');
    expect(await recordsOf(gateway, '?outcome=unsearched')).toHaveLength(20);
  });

  it('is judged by the conversation: the response after a result neither searches nor calls, and is no miss', async () => {
    const gateway = await running([SEARCH, CALL, NOTHING]);
    const { content } = (await (await gateway.post('/v1/messages', ASK)).json()) as { content: { id?: string }[] };
    const result = { type: 'tool_result' as const, tool_use_id: content.at(-1)?.id, content: 'Sunny' };
    const messages = [...ASK.messages, { role: 'assistant', content }, { role: 'user', content: [result] }];
    const answer = await gateway.post('/v1/messages', { ...ASK, messages });
    expect(await answer.text()).toContain('I have no tool');
    expect(await recordsOf(gateway, '?outcome=unsearched')).toEqual([]);
    expect((await recordsOf(gateway)).map(({ reach }) => reach)).toEqual(['searched', 'searched']);
  });

  it('makes an adaptive gateway offer fitting tools to a model that does not search', async () => {
    const upstreams = scriptedUpstreams({ anthropic: Array.from({ length: 21 }, () => NOTHING) });
    const settings = {
      deferral: 'adaptive',
      gate: { rule: { kind: 'on' }, pins: [], search: { defaultLimit: 5, maxLimit: 10 } },
    } as const;
    const gateway = await running([], { upstreams, settings });
    const body = { ...ASK, tools: [...TOOLS, WEATHER], messages: [{ role: 'user', content: 'Get the weather' }] };
    for (let turn = 0; turn < 21; turn += 1) await (await gateway.post('/v1/messages', body)).text();
    const [latest, ...before] = await recordsOf(gateway);
    expect(latest?.loaded).toMatchObject([{ tool: 'get_weather', by: 'prefetch' }]);
    expect(before.flatMap(({ loaded }) => loaded)).toEqual([]);
    expect(JSON.stringify(upstreams.requests[20])).toContain('get_weather');
  });
});

describe('events', () => {
  it('report searches and calls through /mcp, under their request', async () => {
    const hub = testHub({ mail: inProcess({ send_mail: { description: 'Send a mail' } }) });
    const mcp = { hub, form: 'bridge' } as const;
    const gateway = await running([], { mcp, insight: { keep: 'queries' } });
    const ask = async (method: string, params: object): Promise<Response> =>
      gateway.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        { accept: 'application/json, text/event-stream' },
      );
    const call = (name: string, given: object) => ask('tools/call', { name, arguments: given });
    await (await ask('tools/list', {})).text();
    const searched = await call('tool_search', { query: 'send a mail' });
    await searched.text();
    await (await call('tool_call', { name: 'mail__send_mail', arguments: {} })).text();
    await expect.poll(async () => (await recordsOf(gateway)).length).toBe(2);
    const [called, search] = await recordsOf(gateway);
    expect(search).toMatchObject({
      id: searched.headers.get('request-id'),
      route: 'mcp',
      searches: [{ outcome: 'match', found: ['mail__send_mail'], queries: ['send a mail'] }],
    });
    expect(called).toMatchObject({ route: 'mcp', called: ['mail/send_mail'] });
    expect(called?.steps).toMatchObject([{ kind: 'call', tool: 'mail/send_mail' }]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_mcp_calls_total{server="mail",outcome="success"} 1\n');
    expect(metrics).toContain('quartermaster_tools_never_found{catalog="/mcp"} 0\n');
    expect(metrics).toMatch(/quartermaster_mcp_server_changes_total\{server="mail",state="ready"\} [1-9]/);
  });

  it('report the items of batches, with all rounds of an item', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [SEARCH, CALL] });
    const gateway = await running([], { upstreams });
    const { stream: _, ...params } = { ...ASK, stream: undefined };
    const created = await gateway.post('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
    expect(created.status).toBe(200);
    await expect.poll(async () => (await recordsOf(gateway)).length, { timeout: 20_000 }).toBe(1);
    const [record] = await recordsOf(gateway);
    expect(record).toMatchObject({
      ...{ route: 'batch_item', status: 200, model: 'claude-test', rounds: 2, reach: 'searched' },
      ...{ searches: [{ outcome: 'match', found: ['get_weather'] }], called: ['get_weather'] },
    });
    const alone = await running([SEARCH, CALL]);
    await (await alone.post('/v1/messages', ASK)).text();
    expect(record?.tokens?.keptOut).toBe((await recordsOf(alone))[0]?.tokens?.keptOut);
    expect(record?.tokens?.repeated).toBeGreaterThan(0);
    expect(record?.tokens?.carried).toBe(0);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('quartermaster_batch_items_total{outcome="succeeded"} 1\n');
  });

  it('name the model of a batch item that failed, and of one in progress', async () => {
    let goOn: () => void = () => undefined;
    const pause = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const upstreams = scriptedUpstreams({ anthropic: [[pause, new Error('gone')]] });
    const gateway = await running([], { upstreams });
    const { stream: _, ...params } = { ...ASK, stream: undefined };
    await gateway.post('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
    const runningNow = async () => (await get<{ running: { data: object[] } }>(gateway, '/v1/activity')).running.data;
    await expect
      .poll(runningNow, { timeout: 20_000 })
      .toMatchObject([{ route: 'batch_item', model: 'claude-test', upstream: 'scripted' }]);
    goOn();
    await expect.poll(async () => (await recordsOf(gateway)).length, { timeout: 20_000 }).toBe(1);
    expect(await recordsOf(gateway)).toMatchObject([
      { route: 'batch_item', status: 500, model: 'claude-test', upstream: 'scripted' },
    ]);
  });

  it('label metrics by model and the name of the key, and count what was never found', async () => {
    const keys = [
      { name: 'team-a', hash: SECRET_HASH, models: ['*'], catalogs: ['*'], limits: {}, role: 'admin' },
    ] as const;
    const gateway = await running([SEARCH, CALL], { keys });
    const headers = { 'x-api-key': 'secret' };
    const tools = JSON.stringify({ tools: [...TOOLS, WEATHER] });
    await fetch(`${gateway.url}/v1/catalogs/all`, { method: 'PUT', body: tools, headers });
    const body = { ...ASK, tools: [SEARCH_TOOL, { type: 'quartermaster_catalog', name: 'all' }] };
    await (await gateway.post('/v1/messages', body, headers)).text();
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    const labels = 'model="claude-test",key="team-a"';
    expect(metrics).toContain(`quartermaster_model_searches_total{${labels},verdict="match"} 1\n`);
    expect(metrics).toMatch(new RegExp(`quartermaster_tokens_saved_total\\{${labels}\\} -?\\d+\\n`));
    expect(metrics).toContain(`quartermaster_model_request_seconds_count{${labels}} 1\n`);
    expect(metrics).toContain('quartermaster_tools_never_found{catalog="all"} 40\n');
    expect(metrics).toContain('quartermaster_searches_total{engine="bm25",verdict="match"} 1\n');
  });
});

/** SHA-256 of "secret". */
const SECRET_HASH = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';
