import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApiFailure, createClient, type RequestRecord } from '@quartermaster/client';
import { configuredUpstreams, createGateway, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';

const TOOLS = [
  { name: 'get_weather', description: 'The weather of a city', input_schema: { type: 'object' } },
  { name: 'send_mail', description: 'Send an e-mail to somebody', input_schema: { type: 'object' } },
];

async function running() {
  const store = await openStore({ path: ':memory:' });
  const gateway = createGateway({
    ...{ store, workerUrl: false, search: { engine: 'bm25', whenNothingFits: 'empty' } },
    upstreams: configuredUpstreams([{ models: ['*'], provider: 'rehearsal', toolSearch: 'local' }]),
  });
  const server = await serve({ gateway, port: 0, hasKeys: false });
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  const client = createClient({ baseUrl: server.url });
  await client.request('PUT /v1/catalogs/{name}', { path: { name: 'acme' }, body: TOOLS });
  return { client, url: server.url };
}

describe('the client package', () => {
  it('searches a catalog, with types from the document', async () => {
    const { client } = await running();
    const answer = await client.request('POST /v1/catalogs/{name}/search', {
      path: { name: 'acme' },
      body: { query: 'write an e-mail', limit: 1 },
    });
    expect(answer.results[0]?.hits.map(({ tool }) => tool)).toEqual(['send_mail']);
    const activity = await client.request('GET /v1/activity', { query: { limit: 5, outcome: 'failed' } });
    expect(activity.data).toEqual([]);
    expect(await client.request('GET /metrics')).toContain('quartermaster_requests_total');
  });

  it('throws what the gateway says about a request, and says when there is no gateway', async () => {
    const { client } = await running();
    const missing = client.request('GET /v1/catalogs/{name}', { path: { name: 'no such/one' } });
    await expect(missing).rejects.toMatchObject({ status: 404, message: expect.stringContaining('no catalog') });
    const misnamed = client.request('PUT /v1/catalogs/{name}', { path: { name: 'no such/one' }, body: { tools: [] } });
    await expect(misnamed).rejects.toThrow(/name: a catalog's name has 1 to 128/);
    const away = createClient({ baseUrl: 'http://127.0.0.1:1' }).request('GET /livez');
    await expect(away).rejects.toMatchObject({ name: 'ApiFailure', status: 0 });
    expect(new ApiFailure(404, 'gone')).toBeInstanceOf(Error);
  });

  it('sends the key that it is given, and follows requests live', async () => {
    const { client, url } = await running();
    const { secret } = await client.request('POST /v1/keys', { body: { name: 'root', role: 'admin' } });
    await expect(client.request('GET /v1/catalogs')).rejects.toMatchObject({ status: 401 });
    const known = createClient({ baseUrl: url, apiKey: () => secret });
    expect((await known.request('GET /v1/catalogs')).data.map(({ name }) => name)).toEqual(['acme']);
    const stop = new AbortController();
    let onOpen: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    const live = known.follow({ signal: stop.signal, onOpen: () => onOpen() });
    const first = live.next();
    await opened;
    const body = { model: 'any', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
    await known.request('POST /v1/messages', { body });
    const record = (await first).value as RequestRecord;
    expect(record.route).toBe('messages');
    stop.abort();
    await expect(live.next()).rejects.toThrow();
  });
});

const python = await promisify(execFile)('python3', ['--version']).then(
  () => true,
  () => false,
);

describe.runIf(python)('the Python example', () => {
  it('searches without a model', async () => {
    const { url } = await running();
    const script = fileURLToPath(new URL('../examples/python/search.py', import.meta.url));
    const { stdout } = await promisify(execFile)('python3', [script, url, 'acme', 'what is the weather']);
    expect(stdout).toMatch(/^match in 2 tools\n +\d+\.\d+ {2}get_weather\n/);
  });
});
