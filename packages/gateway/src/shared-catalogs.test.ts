import type { IndexCache } from '@quartermaster/core/search';
import type { Store } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, namesOf } from './weather-request.fixture.ts';

const ACME = { type: 'quartermaster_catalog', name: 'acme', defer_loading: true };
const SEARCH = message([{ call: 'tool_search', id: 's', input: { query: 'weather' } }], 'tool_use');
const OK = message([{ text: 'Ok.' }], 'end_turn');

const tool = (name: string) => ({ name, description: 'Get the weather', input_schema: { type: 'object' } });

async function setUp(rounds: readonly ReturnType<typeof message>[]) {
  const upstreams = scriptedUpstreams({ anthropic: rounds });
  const gateway = await runningGateway({ upstreams });
  const createKey = async (catalogs: readonly string[]) =>
    (
      await gateway.store.keys.create({
        ...{ name: `key of ${catalogs}`, models: ['*'], catalogs, limits: {}, role: 'publisher' },
      })
    ).secret;
  const put = (names: readonly string[], secret: string) =>
    fetch(`${gateway.url}/v1/catalogs/acme`, {
      method: 'PUT',
      body: JSON.stringify({ tools: names.map(tool) }),
      headers: { 'x-api-key': secret },
    });
  const ask = (secret: string) => gateway.post('/v1/messages', { ...ASK, tools: [ACME] }, { 'x-api-key': secret });
  return { ...gateway, upstreams, createKey, put, ask };
}

/** As `createIndexCache` makes it of the store, without a disk. */
function countedCache(store: Store) {
  const counts = { loaded: 0, saved: 0 };
  const cache: IndexCache = {
    async load(key) {
      const bytes = await store.indexes.get(key);
      if (bytes !== undefined) counts.loaded += 1;
      return bytes;
    },
    async save(key, bytes) {
      counts.saved += 1;
      await store.indexes.put(key, bytes, { maxBytes: 10_000_000 });
    },
  };
  return { cache, counts };
}

describe('a catalog that another replica has indexed', () => {
  it('is not indexed again, by requests to models or searches, and is found in as it was there', async () => {
    const first = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const tools = Array.from({ length: 250 }, (_, at) => tool(`get_weather_${at}`));
    await fetch(`${first.url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify({ tools }) });
    const { store } = first;
    const search = async (counted: ReturnType<typeof countedCache>) => {
      const { post, close } = await runningGateway({
        upstreams: scriptedUpstreams({}),
        indexCache: counted.cache,
        store: { ...store, close: async () => undefined } as Store,
      });
      const response = await post('/v1/catalogs/acme/search', { query: 'weather 77' });
      const { results } = (await response.json()) as { results: unknown };
      await close();
      return results;
    };
    const [builder, reader] = [countedCache(store), countedCache(store)];
    const built = await search(builder);
    await expect.poll(() => builder.counts).toEqual({ loaded: 0, saved: 1 });
    expect(await search(reader)).toEqual(built);
    expect(reader.counts).toEqual({ loaded: 1, saved: 0 });
  });
});

describe('the tools of a request', () => {
  it('are indexed for it alone: kept, lists that change each time would push out the catalogs', async () => {
    const saved: string[] = [];
    const indexCache: IndexCache = { load: async () => undefined, save: async (key) => void saved.push(key) };
    const { post, url } = await runningGateway({ upstreams: scriptedUpstreams({}), indexCache });
    const tools = Array.from({ length: 250 }, (_, at) => tool(`get_weather_${at}`));
    expect((await post('/v1/search', { query: 'weather 77', tools })).status).toBe(200);
    await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: JSON.stringify({ tools }) });
    await post('/v1/catalogs/acme/search', { query: 'weather 77' });
    // The catalog's is saved after the request's would have been.
    await expect.poll(() => saved.length).toBe(1);
    expect(saved[0]).toContain('given');
  });
});

/** What is known of tools is shared by requests, and must be by nothing else. */
describe('a catalog that is known already', () => {
  it('is not there for a key that may not use it, though the request is the same to the byte', async () => {
    const { createKey, put, ask } = await setUp([OK, OK]);
    const mine = await createKey(['acme']);
    const other = await createKey(['public-*']);
    await put(['get_weather'], mine);
    expect((await ask(mine)).status).toBe(200);
    expect((await ask(other)).status).toBe(404);
    expect((await ask(mine)).status).toBe(200);
  });

  it('is searched as it is now, though the request is the same to the byte', async () => {
    const { createKey, put, ask, upstreams } = await setUp([SEARCH, OK, SEARCH, OK]);
    const secret = await createKey(['acme']);
    await put(['get_weather'], secret);
    await ask(secret);
    await put(['read_weather'], secret);
    await ask(secret);
    expect(namesOf(upstreams.requests[1])).toContain('get_weather');
    expect(namesOf(upstreams.requests[3])).toContain('read_weather');
    expect(JSON.stringify(upstreams.requests[3])).not.toContain('get_weather');
  });

  it('is gone once it is deleted', async () => {
    const { createKey, put, ask, url } = await setUp([OK]);
    const secret = await createKey(['acme']);
    await put(['get_weather'], secret);
    expect((await ask(secret)).status).toBe(200);
    await fetch(`${url}/v1/catalogs/acme`, { method: 'DELETE', headers: { 'x-api-key': secret } });
    expect((await ask(secret)).status).toBe(404);
  });

  it('is neither listed, read, replaced nor deleted by a key that may not use it', async () => {
    const { createKey, put, url } = await setUp([]);
    const mine = await createKey(['acme']);
    const other = await createKey(['public-*']);
    await put(['get_weather'], mine);
    const headers = { 'x-api-key': other };
    expect(await (await fetch(`${url}/v1/catalogs`, { headers })).json()).toEqual({ data: [] });
    expect((await fetch(`${url}/v1/catalogs/acme`, { headers })).ok).toBe(false);
    expect((await fetch(`${url}/v1/catalogs/acme`, { method: 'DELETE', headers })).ok).toBe(false);
    expect((await put(['other'], other)).ok).toBe(false);
    const kept = await fetch(`${url}/v1/catalogs/acme`, { headers: { 'x-api-key': mine } });
    expect(await kept.json()).toMatchObject({ tools: [{ name: 'get_weather' }] });
  });
});

describe('tools that are known already', () => {
  it('bring nothing of one conversation into another, nor of one list into another', async () => {
    const search = message([{ call: 'tool_search_tool_bm25', id: 's', input: { query: 'weather' } }], 'tool_use');
    const { post, upstreams } = await setUp([search, OK, search, OK]);
    const bm25 = { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' };
    for (const name of ['get_weather', 'read_weather']) {
      const response = await post('/v1/messages', { ...ASK, tools: [bm25, { ...tool(name), defer_loading: true }] });
      expect(JSON.stringify(await response.json())).toContain(`"tool_name":"${name}"`);
    }
    expect(upstreams.requests.map(namesOf)).toEqual([
      ['tool_search_tool_bm25'],
      ['tool_search_tool_bm25', 'get_weather'],
      ['tool_search_tool_bm25'],
      ['tool_search_tool_bm25', 'read_weather'],
    ]);
  });
});
