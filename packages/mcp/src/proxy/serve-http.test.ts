import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { QueryError } from '@quartermaster/core/errors';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHub, type Hub, type ServerSettings } from '../hub/index.ts';
import { createMemoryTaskOwnerStore } from '../store/index.ts';
import { type ClientLine, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { modernHandler } from '../testing/modern-handler.fixture.ts';
import { oddServer } from '../testing/odd-server.fixture.ts';
import { rawServer } from '../testing/raw-server.fixture.ts';
import { realServer } from '../testing/real-servers.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createProxy, type ProxyOptions } from './create-proxy.ts';
import type { Access, McpProxy } from './mcp-proxy.ts';

const DEFERRING = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' as const } };
const URL_OF_PROXY = new URL('http://proxy.test/mcp');
const open: { hub: Hub; proxy: McpProxy }[] = [];

afterEach(async () => {
  for (const { hub, proxy } of open.splice(0)) {
    await proxy.close();
    await hub.close();
  }
});

function serve(servers: Readonly<Record<string, ServerSettings>>, options: Partial<ProxyOptions> = {}): McpProxy {
  const hub = createHub({ servers });
  const proxy = createProxy({ hub, waits: PATIENT, settings: DEFERRING, ...options });
  open.push({ hub, proxy });
  return proxy;
}

/** A real client over the real transport, with the network left out. */
async function connect(
  proxy: McpProxy,
  line: ClientLine,
  more: { key?: string; capabilities?: object; handle?: (client: Client) => void } = {},
): Promise<Client> {
  const client = createClient(line, more.capabilities ?? {});
  more.handle?.(client);
  const options = {
    fetch: (url: string | URL, init?: RequestInit): Promise<Response> => proxy.fetch(new Request(url, init)),
    requestInit: { headers: { ...(more.key === undefined ? {} : { authorization: `Bearer ${more.key}` }) } },
  };
  const transport =
    line === 'v1' ? new TransportV1(URL_OF_PROXY, options) : new StreamableHTTPClientTransport(URL_OF_PROXY, options);
  await client.connect(transport as StreamableHTTPClientTransport);
  return client;
}

const mail = (): Record<string, ServerSettings> => ({
  mail: smallServer(() => ({ send_mail: 'Send a mail', read_mail: 'Read a mail' })),
});

describe.each<ClientLine>(['v1', 'v2', 'v2-modern'])('a %s client over HTTP, each request for itself', (line) => {
  it('gets the bridge form, whatever form is preferred, and needs no session', async () => {
    const proxy = serve(mail(), { form: 'load' });
    const client = await connect(proxy, line);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const found = await client.callTool({ name: 'tool_search', arguments: { query: 'send' } });
    expect(JSON.parse(textOf(found))).toMatchObject({ matches: [expect.stringMatching(/^mail__send_mail\(/)] });
    const call = { name: 'mail__send_mail', arguments: { text: 'hello' } };
    expect(textOf(await client.callTool({ name: 'tool_call', arguments: call }))).toBe('send_mail: hello');
    const hearsChanges = line === 'v2-modern';
    expect(client.getServerCapabilities()).toEqual({
      tools: hearsChanges ? { listChanged: true } : {},
      resources: {},
    });
    await client.close();
  });

  it('has the permissions of its key', async () => {
    const keys: Record<string, string[]> = { all: ['*'], reader: ['mail/read_*'] };
    const proxy = serve(mail(), {
      form: 'inline',
      authenticate: async (request) => {
        const key = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
        const allow = Object.hasOwn(keys, key) ? keys[key] : undefined;
        return allow === undefined ? undefined : { id: key, permissions: { allow } };
      },
    });
    const reader = await connect(proxy, line, { key: 'reader' });
    expect((await reader.listTools()).tools.map((tool) => tool.name)).toEqual(['mail__read_mail']);
    expect((await reader.callTool({ name: 'mail__send_mail', arguments: {} })).isError).toBe(true);
    const all = await connect(proxy, line, { key: 'all' });
    expect((await all.listTools()).tools).toHaveLength(2);
    await expect(connect(proxy, line, { key: 'wrong' })).rejects.toThrow();
  });

  it('reads resources and prompts', async () => {
    const proxy = serve({ all: realServer('everything') });
    const client = await connect(proxy, line);
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    const prompt = await client.getPrompt({ name: 'all__args-prompt', arguments: { city: 'Paris' } });
    expect(JSON.stringify(prompt.messages)).toContain('Paris');
    const seen: number[] = [];
    const call = {
      name: 'tool_call',
      arguments: { name: 'all__trigger-long-running-operation', arguments: { duration: 0.05, steps: 2 } },
    };
    const onprogress = ({ progress }: { progress: number }): void => {
      seen.push(progress);
    };
    const loose = client as unknown as { callTool(...args: unknown[]): Promise<{ content: unknown }> };
    const done = await (line === 'v1'
      ? loose.callTool(call, undefined, { onprogress })
      : client.callTool(call, { onprogress }));
    expect(textOf(done)).toContain('completed');
    expect(seen).toEqual([1, 2]);
  });
});

describe('a task of a client over HTTP', () => {
  it('is its creator’s: no other key lists, reads or cancels it', async () => {
    const taskOwners = createMemoryTaskOwnerStore();
    const proxy = serve({ odd: oddServer('tasks') }, { form: 'inline', taskOwners });
    const ask = async (id: string | undefined, method: string, params: object): Promise<Answer> => {
      const headers = {
        ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        'mcp-protocol-version': '2025-11-25',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const request = new Request(URL_OF_PROXY, { method: 'POST', headers, body });
      const text = await (await proxy.fetch(request, id === undefined ? {} : { id })).text();
      return JSON.parse(text.slice(text.indexOf('{'))) as Answer;
    };
    const call = { name: 'odd__slow', arguments: {}, task: { ttl: 5_000 } };
    const taskId = (await ask('ann', 'tools/call', call)).result?.task?.taskId ?? '';
    expect(taskId).toBe('odd/t/1');
    expect(await taskOwners.list('odd', 'ann')).toEqual(new Set(['t/1']));
    expect((await ask('ann', 'tasks/list', {})).result?.tasks).toMatchObject([{ taskId }]);
    expect((await ask('bob', 'tasks/list', {})).result?.tasks).toEqual([]);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect(await ask('bob', method, { taskId })).toMatchObject({ error: { message: 'There is no such task' } });
      expect(await ask('ann', method, { taskId })).toHaveProperty('result');
    }
    // Without keys there is one user.
    expect((await ask(undefined, 'tasks/list', {})).result?.tasks).toMatchObject([{ taskId }]);
  });
});

interface Answer {
  readonly result?: { readonly task?: { readonly taskId: string }; readonly tasks?: readonly object[] };
  readonly error?: object;
}

describe.each<ClientLine>(['v1', 'v2'])('a %s client over HTTP with a lasting connection', (line) => {
  it('can be asked by servers, and has found tools in its list', async () => {
    const proxy = serve({ all: realServer('everything') }, { form: 'load', sessions: true });
    const client = await connect(proxy, line, {
      capabilities: { elicitation: {} },
      handle: (one) => {
        const loose = one as unknown as { fallbackRequestHandler: (request: { method: string }) => Promise<object> };
        loose.fallbackRequestHandler = async () => ({ action: 'accept', content: { name: 'Ada' } });
      },
    });
    await client.callTool({ name: 'tool_search', arguments: { query: 'all__echo', limit: 1 } });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['tool_search', 'all__echo']);
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  });

  it('belongs to its owner, and ends when it is idle', async () => {
    const clock = manualClock();
    const server = smallServer(() => ({ one: '' }));
    const hub = createHub({ servers: { small: server } });
    const proxy = createProxy({ hub, waits: PATIENT, form: 'inline', sessions: { idleMs: 1_000 }, clock });
    open.push({ hub, proxy });
    const client = await connect(proxy, line);
    await client.callTool({ name: 'small__one', arguments: {} });
    const { sessionId } = client.transport as StreamableHTTPClientTransport;
    const ask = (access: { id?: string }): Promise<Response> =>
      proxy.fetch(
        new Request(URL_OF_PROXY, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': sessionId ?? '',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        }),
        access,
      );
    expect((await ask({})).status).toBe(200);
    expect((await ask({ id: 'somebody else' })).status).toBe(404);
    clock.advance(1_001);
    expect((await ask({})).status).toBe(404);
  });
});

describe('what a server refuses', () => {
  const REFUSAL = '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32050,"message":"Not today","data":{"until":"noon"}}}';

  it.each<ClientLine>(['v1', 'v2', 'v2-modern'])(
    'stays an error for a %s client that calls the tool itself',
    async (line) => {
      const client = await connect(serve({ raw: rawServer({}) }, { settings: DEFAULT_GATE_SETTINGS }), line);
      const call = client.callTool({ name: 'raw__answer', arguments: { line: REFUSAL } });
      await expect(call).rejects.toMatchObject({ code: -32050, data: { until: 'noon' } });
    },
  );

  it('is a result for a model that calls it through tool_call', async () => {
    const client = await connect(serve({ raw: rawServer({}) }), 'v2');
    const args = { name: 'raw__answer', arguments: { line: REFUSAL } };
    const result = await client.callTool({ name: 'tool_call', arguments: args });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('Not today')]);
  });
});

describe('a client of the newer revision', () => {
  const KEY = 'io.modelcontextprotocol/';

  it.each([
    ['no/such', 404],
    ['tools/list', 200],
  ])('that asks for %s gets the status %d', async (method, status) => {
    const _meta = { [`${KEY}protocolVersion`]: '2026-07-28', [`${KEY}clientCapabilities`]: {} };
    const response = await serve(mail()).fetch(
      new Request(URL_OF_PROXY, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
      }),
    );
    expect(response.status).toBe(status);
    expect((await response.json()).error?.code).toBe(status === 404 ? -32601 : undefined);
  });

  it('answers itself what a server asks before it returns a prompt', async () => {
    const { fetch } = modernHandler();
    const hub = createHub({ servers: { modern: { type: 'http', url: 'http://modern.test/mcp' } }, fetch });
    const proxy = createProxy({ hub, waits: PATIENT });
    open.push({ hub, proxy });
    const client = await connect(proxy, 'v2-modern', {
      capabilities: { elicitation: {} },
      handle: (one) =>
        one.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } })),
    });
    const { messages } = await client.getPrompt({ name: 'modern__greet' });
    expect(messages).toMatchObject([{ content: { text: 'Hello Ada' } }]);
  });
});

describe('a client that asks for too much', () => {
  const JSON_RPC = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const INITIALIZE = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const listTools = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
  const post = (proxy: McpProxy, body: unknown, more: { access?: Access; headers?: Record<string, string> } = {}) =>
    proxy.fetch(
      new Request(URL_OF_PROXY, {
        method: 'POST',
        headers: { ...JSON_RPC, ...more.headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      more.access ?? {},
    );
  const call = (text: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail__send_mail","arguments":{"text":${text}}}}`;

  it.each([
    ['values', call(`[${'{},'.repeat(200_000)}{}]`), 'more than 200000 JSON values (mcp.messageValues)'],
    ['levels', call('['.repeat(2_000) + ']'.repeat(2_000)), 'nests deeper than 1000 levels'],
    ['bytes', call(JSON.stringify('x'.repeat(4 * 1024 * 1024))), 'larger than 4194304 bytes (mcp.requestBytes)'],
  ])('in %s is refused before any of it is parsed', async (_, body, reason) => {
    for (const sessions of [false, true]) {
      const response = await post(serve(mail(), { sessions }), body);
      expect([response.status, (await response.json()).error.message]).toEqual([413, expect.stringContaining(reason)]);
    }
  });

  it('leaves others their turn between the searches of a batch', async () => {
    const proxy = serve(mail());
    const search = (id: number) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'tool_search', arguments: { query: 'send' } },
    });
    // Everything is ready, so that nothing has to wait for anything else.
    await (await post(proxy, [search(0)])).text();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const response = await post(
      proxy,
      Array.from({ length: 60 }, (_, id) => search(id)),
    );
    expect((await response.text()).split('"result"')).toHaveLength(61);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(60);
  });

  it('in one batch pays for each message of it, and may send a hundred', async () => {
    const proxy = serve(mail());
    const asked: number[] = [];
    const admitBatch = async (more: number): Promise<void> => {
      asked.push(more);
      if (more > 5) throw new Error('too much');
    };
    const batch = (count: number) => Array.from({ length: count }, (_, at) => listTools(at + 1));
    const answered = await (await post(proxy, batch(3), { access: { admitBatch } })).text();
    expect(answered.match(/"tools":/g)).toHaveLength(3);
    await expect(post(proxy, batch(7), { access: { admitBatch } })).rejects.toThrow('too much');
    await (await post(proxy, batch(1), { access: { admitBatch } })).text();
    expect((await post(proxy, batch(101), { access: { admitBatch } })).status).toBe(400);
    expect(asked).toEqual([2, 6]);
  });

  it('in sessions ends its own, and none of another client', async () => {
    const proxy = serve(mail(), { sessions: { max: 3 } });
    const begin = async (id: string): Promise<string> =>
      (await post(proxy, INITIALIZE, { access: { id } })).headers.get('mcp-session-id') ?? '';
    const isOpen = async (id: string, session: string): Promise<boolean> =>
      (await post(proxy, listTools(2), { access: { id }, headers: { 'mcp-session-id': session } })).status === 200;
    const quiet = await begin('quiet');
    const first = await begin('greedy');
    const latest = [await begin('greedy'), await begin('greedy')];
    expect(await isOpen('greedy', first)).toBe(false);
    for (const session of latest) expect(await isOpen('greedy', session)).toBe(true);
    expect(await isOpen('quiet', quiet)).toBe(true);
  });

  it('with one id twice is told so, since only one of two requests could be answered', async () => {
    let finish: (() => void) | undefined;
    const slow: ServerSettings = {
      type: 'in-process',
      create: () => {
        const server = new McpServer({ name: 'slow', version: '1.0.0' });
        server.registerTool('wait', { description: 'Waits', inputSchema: z.object({}) }, () => {
          return new Promise((resolve) => {
            finish = () => resolve({ content: [{ type: 'text', text: 'done' }] });
          });
        });
        return server;
      },
    };
    const proxy = serve({ slow }, { sessions: true, form: 'inline' });
    const begun = await post(proxy, INITIALIZE);
    await begun.text();
    const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'slow__wait', arguments: {} } };
    const first = await post(proxy, call, { headers });
    const again = await post(proxy, listTools(7), { headers });
    expect([again.status, (await again.json()).error.message]).toEqual([
      400,
      'A request with the id 7 is in progress in this session; use another id',
    ]);
    expect((await post(proxy, [listTools(8), listTools(8)], { headers })).status).toBe(400);
    const waited = first.text();
    await until(() => finish !== undefined);
    finish?.();
    expect(await waited).toContain('done');
    // An id is free again once its request was answered, or refused.
    const unread = await post(proxy, listTools(7), { headers: { ...headers, accept: 'text/html' } });
    expect(unread.status).toBe(406);
    for (const id of [7, 7]) {
      expect(await (await post(proxy, listTools(id), { headers })).text()).toContain('slow__wait');
    }
  });

  it('is limited in a session as its latest request says', async () => {
    const proxy = serve(mail(), { sessions: true });
    const begun = await post(proxy, INITIALIZE, { access: { id: 'a' } });
    await begun.text();
    const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const search = { name: 'tool_search', arguments: { query: 'send' } };
    const ask = async (access: Access): Promise<string> => {
      const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: search };
      return (await post(proxy, body, { access: { id: 'a', ...access }, headers })).text();
    };
    expect(await ask({})).toContain('mail__send_mail');
    const admitSearch = async (): Promise<void> => {
      throw new QueryError('too_many_requests', 'No more searches for this key');
    };
    expect(await ask({ admitSearch })).toContain('No more searches for this key');
  });
});
