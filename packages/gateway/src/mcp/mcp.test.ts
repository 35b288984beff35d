import { request as httpRequest } from 'node:http';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Clock } from '@quartermaster/core/internal';
import { hashApiKey, type KeyStore } from '@quartermaster/host/store';
import type { Hub } from '@quartermaster/mcp';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions, McpOptions } from '../gateway-options.ts';
import { movedClock } from '../moved-clock.fixture.ts';
import { type RunningGateway, runningGateway } from '../running-gateway.fixture.ts';
import { scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { EVERYTHING, inProcess, type TestTools, testHub } from './mcp-servers.fixture.ts';

/** On which waits of up to two seconds are over when the hub has as many tools, and longer ones never end. */
function twoSecondsAfter(hub: Hub, toolCount: number): Clock {
  const listed = new Promise<void>((resolve) => {
    hub.subscribe(() => hub.snapshot().tools.length === toolCount && resolve());
  });
  return {
    now: () => 0,
    after(delayMs, run) {
      let isCancelled = delayMs > 2_000;
      void listed.then(() => isCancelled || run());
      return () => {
        isCancelled = true;
      };
    },
  };
}

type Line = 'v1' | 'v2' | 'v2-modern';

const LINES: readonly Line[] = ['v1', 'v2', 'v2-modern'];
const MAIL: TestTools = { send_mail: { description: 'Send a mail' }, read_mail: { description: 'Read a mail' } };
const INFO = { name: 'test-client', version: '1.0.0' };

/** The real client of a line, connected over the network. What differs between the lines is types, not what is used here. */
async function connect(line: Line, url: string, key?: string): Promise<ClientV2> {
  const address = new URL('/mcp', url);
  const options = { requestInit: { headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) } } };
  const mode: VersionNegotiationMode = line === 'v2' ? 'legacy' : { pin: '2026-07-28' };
  const client =
    line === 'v1' ? (new ClientV1(INFO) as unknown as ClientV2) : new ClientV2(INFO, { versionNegotiation: { mode } });
  const transport =
    line === 'v1' ? new TransportV1(address, options) : new StreamableHTTPClientTransport(address, options);
  await client.connect(transport as StreamableHTTPClientTransport);
  onTestFinished(() => client.close());
  return client;
}

function running(
  servers: Parameters<typeof testHub>[0],
  { mcp, ...more }: Partial<Omit<GatewayOptions, 'mcp'>> & { mcp?: Partial<McpOptions> } = {},
): Promise<RunningGateway> {
  return runningGateway({ upstreams: scriptedUpstreams({}), mcp: { hub: testHub(servers), ...mcp }, ...more });
}

function textOf(result: { readonly content?: unknown }): string {
  return (result.content as { text: string }[])[0]?.text ?? '';
}

const namesIn = async (client: ClientV2) => (await client.listTools()).tools.map(({ name }) => name);

describe.each(LINES)('a %s client at /mcp', (line) => {
  it('searches and calls the tools of every configured server, processes included', async () => {
    const { url } = await running({ mail: inProcess(MAIL), all: EVERYTHING }, { mcp: { form: 'bridge' } });
    const client = await connect(line, url);
    expect(await namesIn(client)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const found = await client.callTool({ name: 'tool_search', arguments: { query: 'send a mail' } });
    expect(textOf(found)).toContain('mail__send_mail');
    const call = { name: 'all__echo', arguments: { message: 'hello' } };
    expect(textOf(await client.callTool({ name: 'tool_call', arguments: call }))).toContain('hello');
  });

  it('has what its key may use, and nothing without a key', async () => {
    const permissions = { models: ['*'], catalogs: ['mail'], limits: {} };
    const keys = [
      { ...permissions, name: 'mail', hash: hashApiKey('mail-key') },
      { ...permissions, name: 'reader', hash: hashApiKey('reader-key'), tools: { allow: ['*/read_*'] } },
      { ...permissions, name: 'careful', hash: hashApiKey('careful-key'), tools: { deny: ['mail/send_*'] } },
      { ...permissions, name: 'all', hash: hashApiKey('all-key'), catalogs: ['*'] },
    ];
    const servers = { mail: inProcess(MAIL), other: inProcess({ read_other: {} }) };
    const { url } = await running(servers, { keys, mcp: { form: 'inline' } });
    const seen = async (key: string) => namesIn(await connect(line, url, key));
    expect(await seen('mail-key')).toEqual(['mail__send_mail', 'mail__read_mail']);
    expect(await seen('reader-key')).toEqual(['mail__read_mail', 'other__read_other']);
    expect(await seen('careful-key')).toEqual(['mail__read_mail']);
    expect(await seen('all-key')).toEqual(['mail__send_mail', 'mail__read_mail', 'other__read_other']);
    const client = await connect(line, url, 'careful-key');
    expect((await client.callTool({ name: 'mail__send_mail', arguments: {} })).isError).toBe(true);
    await expect(connect(line, url)).rejects.toThrow();
    await expect(connect(line, url, 'wrong')).rejects.toThrow();
  });

  it('does not wait for a server that hangs, whatever it asks of another', async () => {
    const hanging = { type: 'in-process' as const, create: () => new Promise<never>(() => {}) };
    const hub = testHub({ hanging, mail: inProcess(MAIL) });
    const { url } = await running({}, { clock: twoSecondsAfter(hub, 2), mcp: { hub, form: 'bridge' } });
    const client = await connect(line, url);
    expect(await namesIn(client)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const found = textOf(await client.callTool({ name: 'tool_search', arguments: { query: 'send a mail' } }));
    expect(JSON.parse(found)).toMatchObject({
      matches: [expect.stringMatching(/^mail__send_mail\(/), expect.anything()],
      unavailable: [{ server: 'hanging', reason: 'it is still starting' }],
    });
    const described = await client.callTool({ name: 'tool_describe', arguments: { name: 'mail__send_mail' } });
    expect(textOf(described)).toContain('Send a mail');
    const call = { name: 'mail__send_mail', arguments: { text: 'Hi' } };
    expect(textOf(await client.callTool({ name: 'tool_call', arguments: call }))).toBe('send_mail {"text":"Hi"}');
    expect(textOf(await client.callTool(call))).toBe('send_mail {"text":"Hi"}');
  });

  it('does not keep the gateway from stopping', async () => {
    const gateway = await running({ mail: inProcess(MAIL) }, { mcp: { sessions: true } });
    const client = await connect(line, gateway.url);
    await client.listTools();
    await gateway.close();
  });
});

describe('/mcp', () => {
  it.each([
    [undefined, 60],
    [8_192, 3],
  ])('with a context window of %s shows %i of 60 tools or stand-ins for them', async (contextTokens, count) => {
    const tools: TestTools = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`report_${index}`, {}]));
    const { url } = await running(
      { reports: inProcess(tools) },
      { mcp: contextTokens === undefined ? {} : { contextTokens } },
    );
    expect(await namesIn(await connect('v2', url))).toHaveLength(count);
  });

  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const ACCEPT = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:6274', 200],
    ['https://inspector.example', 200],
  ])('a page of %s is answered with %i', async (origin, status) => {
    const { post } = await running({ mail: inProcess(MAIL) }, { mcp: { origins: ['https://inspector.example'] } });
    const response = await post('/mcp', LIST, { ...ACCEPT, origin });
    expect(response.status).toBe(status);
    const body = await response.text();
    if (status === 403) expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
  });

  it('a foreign host name that points at this machine is not served without keys', async () => {
    const { url } = await running({ mail: inProcess(MAIL) });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...ACCEPT, host: 'rebound.example', 'content-type': 'application/json' };
      const sent = httpRequest(new URL('/mcp', url), { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(LIST));
    });
    expect(status).toBe(403);
  });

  it('a body beyond the limit is refused', async () => {
    const { post } = await running({ mail: inProcess(MAIL) }, { settings: { maxBodyBytes: 2_000 } });
    const params = { padding: 'x'.repeat(2_000) };
    expect((await post('/mcp', { ...LIST, params }, ACCEPT)).status).toBe(413);
  });

  it('calls are counted by server, and by tool for their caller', async () => {
    const permissions = { models: ['*'], catalogs: ['*'], limits: {}, role: 'admin' as const };
    const keys = [{ ...permissions, name: 'ann', hash: hashApiKey('ann-key') }];
    const { url } = await running({ mail: inProcess(MAIL) }, { keys, mcp: { form: 'bridge' } });
    const client = await connect('v2-modern', url, 'ann-key');
    for (let turn = 0; turn < 3; turn += 1) {
      await client.callTool({ name: 'tool_call', arguments: { name: 'mail__send_mail', arguments: {} } });
    }
    const headers = { 'x-api-key': 'ann-key' };
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    expect(metrics).toContain('quartermaster_mcp_calls_total{server="mail",outcome="success"} 3\n');
    expect(metrics).toContain('quartermaster_mcp_call_seconds_count{server="mail"} 3\n');
    expect(metrics).not.toContain('send_mail');
    const usage = await (await fetch(`${url}/v1/catalogs/mail/usage`, { headers })).json();
    expect(usage).toEqual({
      ...{ type: 'catalog_usage', name: 'mail' },
      tools: [{ tool: 'mail/send_mail', calls: 3 }],
      suggested_pins: ['mail/send_mail'],
    });
  });

  it('searches are limited by the key, and the model gets a message', async () => {
    const limits = { searchesPerMinute: 2 };
    const keys = [{ models: ['*'], catalogs: ['*'], limits, name: 'ann', hash: hashApiKey('ann-key') }];
    const { url } = await running({ mail: inProcess(MAIL) }, { keys, mcp: { form: 'bridge' } });
    const client = await connect('v2', url, 'ann-key');
    const search = async (queries: readonly string[]) =>
      textOf(await client.callTool({ name: 'tool_search', arguments: { queries } }));
    expect(await search(['send a mail', 'read a mail'])).toContain('mail__read_mail');
    expect(JSON.parse(await search(['send a mail']))).toEqual({
      error: 'too_many_requests',
      message: expect.stringMatching(/^This key is limited to 2 searches per minute; try again in \d+ s;/),
    });
    const call = { name: 'mail__send_mail', arguments: {} };
    expect(textOf(await client.callTool({ name: 'tool_call', arguments: call }))).toBe('send_mail {}');
  });

  it('a task of one key is nothing to another, on any replica', async () => {
    const first = await running({ every: EVERYTHING }, { mcp: { form: 'inline' } });
    const { store } = first;
    const second = await running({ every: EVERYTHING }, { mcp: { form: 'inline' }, store });
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };
    const [ann, bob] = [
      await store.keys.create({ name: 'ann', ...rights }),
      await store.keys.create({ name: 'bob', ...rights }),
    ];
    const ask = async ({ url }: RunningGateway, key: string, message: { method: string; params?: object }) => {
      const headers = {
        ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json', 'x-api-key': key },
        'mcp-protocol-version': '2025-11-25',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
      const text = await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text();
      return JSON.parse(text.slice(text.indexOf('{'))) as { result?: Record<string, unknown>; error?: object };
    };
    const call = { name: 'every__simulate-research-query', arguments: { topic: 'secrets' }, task: { ttl: 60_000 } };
    const { result } = await ask(first, ann.secret, { method: 'tools/call', params: call });
    const taskId = (result?.task as { taskId: string } | undefined)?.taskId ?? '';
    const list = async (secret: string) => (await ask(first, secret, { method: 'tasks/list' })).result?.tasks;
    expect(await list(ann.secret)).toMatchObject([{ taskId }]);
    expect(await list(bob.secret)).toEqual([]);
    const refused = { error: { message: 'There is no such task' } };
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await ask(first, bob.secret, { method, params: { taskId } })).toMatchObject(refused);
    expect(await ask(first, ann.secret, { method: 'tasks/get', params: { taskId } })).toMatchObject({
      result: { taskId },
    });
    // The other replica has its own process of the server, which does not know the task; it knows whose it is.
    expect(await ask(second, bob.secret, { method: 'tasks/get', params: { taskId } })).toMatchObject(refused);
    expect(await ask(second, ann.secret, { method: 'tasks/get', params: { taskId } })).not.toMatchObject(refused);
    await ask(first, ann.secret, { method: 'tasks/cancel', params: { taskId } });
  });

  it.each([
    ['revoked', (keys: KeyStore, id: string) => keys.revoke(id)],
    ['given other rights', (keys: KeyStore, id: string) => keys.update(id, { tools: { deny: ['mail/*'] } })],
    ['refused the endpoint', (keys: KeyStore, id: string) => keys.update(id, { endpoints: ['messages'] })],
  ])('a stream that listens ends after its key was %s', async (_, change) => {
    const clock = movedClock(Date.now());
    const { url, store } = await running({ mail: inProcess(MAIL) }, { mcp: { sessions: true }, clock });
    const { key, secret } = await store.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits: {} });
    const headers = {
      ...{ 'x-api-key': secret, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO };
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const greeted = await fetch(`${url}/mcp`, { method: 'POST', headers, body: hello });
    await greeted.text();
    const session = { 'mcp-session-id': greeted.headers.get('mcp-session-id') ?? '' };
    const listening = await fetch(`${url}/mcp`, { headers: { ...headers, ...session } });
    expect(listening.status).toBe(200);
    let isOver = false;
    const ended = listening.text().then(() => {
      isOver = true;
    });
    clock.move(15_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    await change(store.keys, key.id);
    const isOverAfterCheck = (): boolean => {
      clock.move(15_000);
      return isOver;
    };
    await expect.poll(isOverAfterCheck).toBe(true);
    await ended;
  });

  it('is not there without servers', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    expect((await post('/mcp', LIST, ACCEPT)).status).toBe(404);
  });

  it('requests are counted, and no line of the log holds what was sent', async () => {
    const { post, log, close } = await running({ mail: inProcess(MAIL) }, { mcp: { form: 'inline' } });
    const params = { name: 'mail__send_mail', arguments: { text: 'a secret' } };
    const response = await post('/mcp', { ...LIST, method: 'tools/call', params }, ACCEPT);
    expect(await response.text()).toContain('a secret');
    await close();
    expect(log).toContainEqual(expect.objectContaining({ event: 'request-end', route: 'mcp', status: 200 }));
    expect(JSON.stringify(log)).not.toContain('secret');
  });
});
