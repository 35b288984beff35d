import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../testing/clients.fixture.ts';
import { type ListeningServer, startListening } from '../testing/listening-server.fixture.ts';
import { modernHandler } from '../testing/modern-handler.fixture.ts';
import { realServer } from '../testing/real-servers.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub, Peer } from './hub.ts';
import type { HubOptions } from './hub-options.ts';

const hubs: Hub[] = [];
const listening: ListeningServer[] = [];

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
  await Promise.all(listening.splice(0).map((server) => server.stop()));
});

async function startHub(options: HubOptions): Promise<Hub> {
  const hub = createHub(options);
  hubs.push(hub);
  await hub.start();
  return hub;
}

async function call(hub: Hub, id: string, args = {}, peer?: Peer): Promise<string> {
  const tool = hub.snapshot().get(id);
  if (tool === undefined) throw new Error(`There is no ${id}: ${JSON.stringify(hub.unavailable())}`);
  return textOf(await hub.call({ tool, arguments: args, origin: { peer } }));
}

describe('a hub with servers on the network', () => {
  it('uses Streamable HTTP with a server of an older revision', async () => {
    const server = await startListening(realServer('everything', ['streamableHttp']), /listening/i);
    listening.push(server);
    const hub = await startHub({ servers: { all: { type: 'http', url: `${server.origin}/mcp` } } });
    expect(await call(hub, 'all/echo', { message: 'hi' })).toBe('Echo: hi');
    expect(hub.status()[0]?.protocolVersion).toBe('2025-11-25');
  });

  it.each([{ type: 'sse' as const }, {}])(
    'speaks SSE where it is told to, or where nothing else is known: %j',
    async (type) => {
      const server = await startListening(realServer('everything', ['sse']), /running on port|listening/i);
      listening.push(server);
      const hub = await startHub({ servers: { all: { ...type, url: `${server.origin}/sse` } } });
      expect(await call(hub, 'all/echo', { message: 'hi' })).toBe('Echo: hi');
    },
  );

  it('sends headers only to their own server', async () => {
    const { handler } = modernHandler(() => ['one']);
    const seen = new Set<string | null>();
    const fetch: typeof globalThis.fetch = (input, init) => {
      const request = new Request(input, init);
      seen.add(request.headers.get('authorization'));
      return handler.fetch(request);
    };
    const headers = { authorization: 'Bearer theirs' };
    await startHub({ servers: { remote: { type: 'http', url: 'http://remote.test/mcp', headers } }, fetch });
    expect([...seen]).toEqual(['Bearer theirs']);
  });
});

describe('a hub with servers of the newer revision', () => {
  it('uses it over HTTP, and follows changes', async () => {
    let tools = ['one'];
    const { handler, fetch } = modernHandler(() => tools);
    const hub = await startHub({ servers: { remote: { type: 'http', url: 'http://remote.test/mcp' } }, fetch });
    expect(hub.status()[0]?.protocolVersion).toBe('2026-07-28');
    expect(await call(hub, 'remote/one')).toBe('one');
    tools = ['one', 'two'];
    await until(() => {
      handler.notify.toolsChanged();
      return hub.snapshot().get('remote/two') !== undefined;
    });
    await handler.close();
  });

  it('asks the client if a result requests input', async () => {
    const { fetch } = modernHandler();
    const hub = await startHub({ servers: { remote: { type: 'http', url: 'http://remote.test/mcp' } }, fetch });
    const asked: unknown[] = [];
    const peer: Peer = {
      capabilities: { elicitation: {} },
      request: async (request) => {
        asked.push(request);
        return { action: 'accept', content: { name: 'Ada' } };
      },
      notify: () => {},
    };
    expect(await call(hub, 'remote/ask', {}, peer)).toBe('Hello Ada');
    expect(asked).toMatchObject([
      { server: 'remote', method: 'elicitation/create', params: { message: 'Your name?' } },
    ]);
  });

  it('uses it over stdio with a server that supports nothing else', async () => {
    const script = fileURLToPath(new URL('../testing/modern-server.fixture.mjs', import.meta.url));
    const hub = await startHub({ servers: { modern: { command: process.execPath, args: [script] } } });
    expect(await call(hub, 'modern/hello')).toBe('hello');
    expect(hub.status()[0]?.protocolVersion).toBe('2026-07-28');
  });

  it('keeps valid tools beside invalid ones', async () => {
    const { handler } = modernHandler(() => ['one']);
    const spoil = async (response: Response): Promise<Response> => {
      const body = (await response.json()) as { result?: { tools?: unknown[] } };
      body.result?.tools?.push({ name: 'no_schema' }, { description: 'no name' });
      return Response.json(body);
    };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const isList = (await request.clone().text()).includes('"tools/list"');
      const response = await handler.fetch(request);
      return isList ? spoil(response) : response;
    };
    const hub = await startHub({ servers: { remote: { type: 'http', url: 'http://remote.test/mcp' } }, fetch });
    expect(hub.snapshot().tools.map((tool) => tool.name)).toEqual(['ask', 'one', 'no_schema']);
    expect(hub.status()[0]?.problems).toEqual(['Tool 3 of "remote" can\'t be read: it has no name']);
  });
});
