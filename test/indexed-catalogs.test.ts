import { parseTools } from '@quartermaster/core';
import type { IndexCache } from '@quartermaster/core/search';
import { openStore, type Store } from '@quartermaster/host/store';
import { embeddedModel } from '@quartermaster/semantic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningGateway } from '../packages/gateway/src/running-gateway.fixture.ts';
import { message, scriptedUpstreams } from '../packages/gateway/src/scripted-upstream.fixture.ts';
import { ASK, namesOf } from '../packages/gateway/src/weather-request.fixture.ts';
import { startPostgres, type TestPostgres } from '../packages/host/src/store/embedded-postgres.fixture.ts';

let server: TestPostgres;
let url: string;
let store: Store;

beforeAll(async () => {
  server = await startPostgres();
  ({ url } = await server.createPlace());
  store = await openStore({ url, timeouts: { connectMs: 1_000, statementMs: 5_000 } });
}, 120_000);

afterAll(async () => {
  await store.close();
  await server.stop();
});

const TOOLS = ['get_weather', 'search_files', 'send_mail', 'list_invoices'].map((name) => ({
  name,
  description: `Can ${name.replaceAll('_', ' ')} for a person`,
  input_schema: { type: 'object', properties: { place: { type: 'string' } } },
}));

/** One of several replicas on the same database. */
async function startReplica(rounds: readonly ReturnType<typeof message>[] = []) {
  const upstreams = scriptedUpstreams({ anthropic: rounds });
  const kept: string[] = [];
  const indexCache: IndexCache = {
    load: async () => undefined,
    save: async (key) => {
      kept.push(key);
    },
  };
  const search = { engine: 'hybrid', backend: 'postgres', whenNothingFits: 'empty' } as const;
  const gateway = await runningGateway({ upstreams, store, search, indexCache });
  const put = (name: string, tools: readonly object[], key = '') =>
    fetch(`${gateway.url}/v1/catalogs/${name}`, {
      method: 'PUT',
      body: JSON.stringify({ tools }),
      headers: { 'x-api-key': key },
    });
  const find = async (name: string, query: string, key = '') => {
    const response = await gateway.post(`/v1/catalogs/${name}/search`, { query }, { 'x-api-key': key });
    const { results = [] } = (await response.json()) as { results?: { hits: { name: string }[] }[] };
    return { status: response.status, names: results.flatMap(({ hits }) => hits.map((hit) => hit.name)) };
  };
  return { ...gateway, upstreams, kept, put, find };
}

describe('catalogs with search.backend postgres', () => {
  it('are searched by every replica, and indexed by none', async () => {
    const [first, second] = [await startReplica(), await startReplica()];
    expect((await first.put('acme', TOOLS)).status).toBe(201);
    expect((await second.find('acme', 'weather')).names[0]).toBe('get_weather');
    const response = await second.post('/v1/catalogs/acme/search', {
      query: 'weather',
      explain: true,
      why: 'send_mail',
    });
    expect(await response.json()).toMatchObject({
      catalog: { tool_count: 4 },
      results: [{ verdict: 'match', hits: [{ model_name: 'get_weather', tokens: expect.any(Number) }] }],
      why: { tool: 'send_mail' },
    });
    expect(first.kept).toEqual([]);
    expect(second.kept).toEqual([]);
  });

  it('are updated by what changed, and forgotten when they are deleted', async () => {
    const { put, find, url: address } = await startReplica();
    await put('changing', TOOLS);
    const written = () =>
      server.query(
        url,
        "SELECT key, t.xmin::text AS by FROM catalog_tools t JOIN tool_catalogs c ON c.number = t.catalog WHERE c.name = 'changing' ORDER BY key",
      );
    const before = await written();
    await put('changing', [...TOOLS.slice(1), { ...TOOLS[0], description: 'Tells whether it rains' }]);
    const after = await written();
    expect(after.filter(({ by }, at) => by === before[at]?.by)).toHaveLength(3);
    expect((await find('changing', 'rains')).names[0]).toBe('get_weather');
    await put('changing', TOOLS.slice(1));
    expect((await find('changing', 'get_weather')).names).not.toContain('get_weather');
    expect((await fetch(`${address}/v1/catalogs/changing`, { method: 'DELETE' })).status).toBe(200);
    expect(await written()).toEqual([]);
    expect((await find('changing', 'mail')).status).toBe(404);
  });

  it('are indexed by the first search where they were stored before', async () => {
    await store.catalogs.put({ name: 'older', hash: 'old', tools: JSON.stringify(TOOLS), toolCount: TOOLS.length });
    expect((await (await startReplica()).find('older', 'invoices')).names[0]).toBe('list_invoices');
  });

  it('are searched where a program has written them to the index', async () => {
    const { find } = await startReplica();
    const index = await store.openToolIndex({ embedder: embeddedModel() });
    await index.sync('registry/all-tools', parseTools(TOOLS).tools);
    expect((await find('all-tools', 'invoices')).names[0]).toBe('list_invoices');
    expect((await find('registry%2Fall-tools', 'invoices')).status).toBe(404);
  });

  it('are searched for models too', async () => {
    const rounds = [
      message([{ call: 'tool_search', id: 's', input: { query: 'weather' } }], 'tool_use'),
      message([{ text: 'Ok.' }], 'end_turn'),
    ];
    const { put, post, upstreams, kept } = await startReplica(rounds);
    await put('for-models', TOOLS);
    const catalog = { type: 'quartermaster_catalog', name: 'for-models', defer_loading: true };
    expect((await post('/v1/messages', { ...ASK, tools: [catalog] })).status).toBe(200);
    expect(namesOf(upstreams.requests[0])).not.toContain('get_weather');
    expect(namesOf(upstreams.requests[1])).toContain('get_weather');
    expect(kept).toEqual([]);
  });

  it('fail with 503 while the database is away', async () => {
    const { put, find } = await startReplica();
    await put('away', TOOLS);
    await server.halt();
    expect((await find('away', 'mail')).status).toBe(503);
    await server.resume();
    await expect.poll(async () => (await find('away', 'mail')).status, { timeout: 30_000 }).toBe(200);
  });

  it('show a key nothing of the catalogs and tools that it may not use', async () => {
    const { put, find } = await startReplica();
    const create = async (name: string, more: object) =>
      (await store.keys.create({ name, models: ['*'], catalogs: [name], limits: {}, role: 'publisher', ...more }))
        .secret;
    const [mine, other] = [await create('mine', {}), await create('other', {})];
    const narrow = await create('mine-narrow', { catalogs: ['mine'], role: 'consumer', tools: { deny: ['sky/*'] } });
    await put('mine', [{ ...TOOLS[0], server: 'sky' }, ...TOOLS.slice(1)], mine);
    await put('other', [{ ...TOOLS[0], name: 'get_secret' }], other);
    expect((await find('mine', 'weather', mine)).names[0]).toBe('get_weather');
    expect((await find('mine', 'get_secret', mine)).names).not.toContain('get_secret');
    expect((await find('mine', 'weather', other)).status).toBe(404);
    expect((await find('all-tools', 'weather', mine)).status).toBe(404);
    expect((await find('mine', 'weather', narrow)).names).not.toContain('get_weather');
  });
});
