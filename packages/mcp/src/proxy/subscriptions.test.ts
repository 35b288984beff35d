import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHub, type ServerSettings } from '../hub/index.ts';
import { connectClient, createClient } from '../testing/clients.fixture.ts';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createProxy } from './create-proxy.ts';

const NOTE = 'note://one';
const CAPABILITIES = { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } };

interface Backend {
  readonly settings: ServerSettings;
  readonly fetch?: typeof globalThis.fetch;
  /** Tells those who asked for it that the note has changed. */
  update(): void;
  /** Tells everybody that there are other prompts. */
  changePrompts(): void;
  /** Whether anyone hears of changes to the note. */
  isFollowed(): boolean;
  /** Ends all connections, or all answers to those who listen. */
  interrupt(): Promise<void>;
}

function notes(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities: CAPABILITIES });
  server.registerResource('one', NOTE, {}, () => ({ contents: [{ uri: NOTE, text: 'A note' }] }));
  server.registerPrompt('ask', {}, () => ({ messages: [] }));
  return server;
}

/** Each connection subscribes for itself, and is told without being asked about lists. */
function older(): Backend {
  const followers = new Set<McpServer>();
  const open = new Set<McpServer>();
  const create = (): McpServer => {
    const server = notes();
    open.add(server);
    server.server.setRequestHandler('resources/subscribe', async ({ params }) => {
      if (params.uri !== NOTE) throw new Error('There is no such note');
      followers.add(server);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', async () => {
      followers.delete(server);
      return {};
    });
    server.server.onclose = () => {
      followers.delete(server);
      open.delete(server);
    };
    return server;
  };
  return {
    settings: { type: 'in-process', create },
    update: () => {
      for (const server of followers) void server.server.sendResourceUpdated({ uri: NOTE });
    },
    changePrompts: () => {
      for (const server of open) server.sendPromptListChanged();
    },
    isFollowed: () => followers.size > 0,
    async interrupt() {
      await Promise.all([...open].map((server) => server.close()));
    },
  };
}

/** Everything is told to those who listen, and to no one else. The first requests to listen can be refused. */
function newer(refusals = 0): Backend {
  let left = refusals;
  let handler = createMcpHandler(notes);
  const followers = new Set<Request>();
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const text = request.method === 'POST' ? await request.clone().text() : '';
    if (text.includes('subscriptions/listen') && left > 0) {
      left -= 1;
      return new Response('Busy', { status: 503 });
    }
    const response = await handler.fetch(request);
    if (text.includes(NOTE) && text.includes('resourceSubscriptions')) {
      followers.add(request);
      request.signal.addEventListener('abort', () => followers.delete(request));
    }
    return response;
  };
  return {
    settings: { type: 'http', url: 'https://notes.test/mcp' },
    fetch,
    update: () => handler.notify.resourceUpdated(NOTE),
    changePrompts: () => handler.notify.promptsChanged(),
    isFollowed: () => followers.size > 0,
    async interrupt() {
      const before = handler;
      handler = createMcpHandler(notes);
      followers.clear();
      await before.close();
    },
  };
}

interface Front {
  readonly client: Client;
  readonly heard: string[];
  follow(uri: string): Promise<() => Promise<void>>;
}

const FRONTS = ['older client', 'newer client', 'newer client over HTTP'] as const;
const BACKENDS = { 'older server': older, 'newer server': () => newer() };

async function connect(kind: (typeof FRONTS)[number], backend: Backend): Promise<Front & { pass(ms: number): void }> {
  const clock = manualClock();
  const { settings, fetch } = backend;
  const hub = createHub({ servers: { notes: settings }, clock, ...(fetch === undefined ? {} : { fetch }) });
  await hub.start();
  const proxy = createProxy({ hub, clock });
  const client = createClient(kind === 'older client' ? 'v2' : 'v2-modern');
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await hub.close();
  });
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler('notifications/prompts/list_changed', () => void heard.push('prompts'));
  if (kind === 'newer client over HTTP') {
    const through = (input: string | URL, init?: RequestInit) => proxy.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL('https://proxy.test/mcp'), { fetch: through }));
  } else await connectClient(proxy, client);
  const follow = async (uri: string): Promise<() => Promise<void>> => {
    if (kind === 'older client') {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    }
    const listening = await client.listen({ promptsListChanged: true, resourceSubscriptions: [uri] });
    if (uri === NOTE) expect(listening.honoredFilter.resourceSubscriptions).toEqual([uri]);
    return () => listening.close();
  };
  return { client, heard, follow, pass: (ms) => clock.advance(ms) };
}

describe.each(FRONTS)('the %s', (front) => {
  describe.each(Object.entries(BACKENDS))('before the %s', (_, makeBackend) => {
    it('is notified of changes to a resource that it follows, until it unsubscribes', async () => {
      const backend = makeBackend();
      const { heard, follow } = await connect(front, backend);
      const unfollow = await follow(NOTE);
      backend.update();
      await until(() => heard.includes(NOTE));
      await unfollow();
      await until(() => !backend.isFollowed());
      expect(heard).toEqual([NOTE]);
    });

    it('is notified of changed prompts', async () => {
      const backend = makeBackend();
      const { heard, follow } = await connect(front, backend);
      await follow(NOTE);
      backend.changePrompts();
      await until(() => heard.includes('prompts'));
    });

    it('stays subscribed after a restart of the server, and is notified of what it may have missed', async () => {
      const backend = makeBackend();
      const { heard, follow, pass } = await connect(front, backend);
      await follow(NOTE);
      await backend.interrupt();
      await until(() => {
        pass(1_000);
        return backend.isFollowed();
      });
      await until(() => heard.includes(NOTE));
      heard.splice(0);
      backend.update();
      await until(() => heard.includes(NOTE));
    });
  });
});

it('receives changes even if the server refuses the first request to listen', async () => {
  const backend = newer(2);
  const { heard, pass } = await connect('older client', backend);
  await until(() => {
    pass(1_000);
    backend.changePrompts();
    return heard.includes('prompts');
  });
});

it('tells a client over HTTP that no server reports changes to a resource', async () => {
  const { client } = await connect('newer client over HTTP', older());
  const { honoredFilter } = await client.listen({ promptsListChanged: true, resourceSubscriptions: ['note://none'] });
  expect(honoredFilter).toEqual({ promptsListChanged: true });
});

it('unknown resources cost each server one list, however many a client names', async () => {
  let lists = 0;
  const create = (): McpServer => {
    const server = notes();
    server.server.setRequestHandler('resources/list', async () => {
      lists += 1;
      return { resources: [] };
    });
    server.server.setRequestHandler('resources/subscribe', async () => {
      throw new Error('There is no such note');
    });
    return server;
  };
  const settings = { type: 'in-process' as const, create };
  const hub = createHub({ servers: { one: settings, other: settings } });
  await hub.start();
  const proxy = createProxy({ hub });
  const client = createClient('v2-modern');
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await hub.close();
  });
  await connectClient(proxy, client);
  const resourceSubscriptions = Array.from({ length: 20 }, (_, at) => `note://${at}`);
  const { honoredFilter } = await client.listen({ promptsListChanged: true, resourceSubscriptions });
  expect(honoredFilter).toEqual({ promptsListChanged: true });
  expect(lists).toBe(2);
});

it('a client over HTTP is not notified of what its key may not use', async () => {
  const backend = newer();
  const fetch = backend.fetch ?? globalThis.fetch;
  const hub = createHub({ servers: { notes: backend.settings, other: older().settings }, fetch });
  await hub.start();
  const proxy = createProxy({ hub });
  const client = createClient('v2-modern');
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await hub.close();
  });
  const access = { id: 'other', permissions: { allow: ['other'] } };
  const through = (input: string | URL, init?: RequestInit) => proxy.fetch(new Request(input, init), access);
  await client.connect(new StreamableHTTPClientTransport(new URL('https://proxy.test/mcp'), { fetch: through }));
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  await client.listen({ resourceSubscriptions: [NOTE] });
  expect(backend.isFollowed()).toBe(false);
  backend.update();
  await client.listResources();
  expect(heard).toEqual([]);
});
