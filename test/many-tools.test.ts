import { Client, InMemoryTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { query, type SDKMessage } from '@quartermaster/agent';
import { capabilitiesOf } from '@quartermaster/core/disclosure';
import { contextWindow, DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { createGateway, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { scripted } from '@quartermaster/host/upstream';
import { createHub, createProxy } from '@quartermaster/mcp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ManyToolsServer, manyToolsServer } from './many-tools-server.fixture.ts';

const INFO = { name: 'test-client', version: '1.0.0' };
const TOOLS = 10_000;

async function plant(pageSize: number): Promise<ManyToolsServer> {
  const server = await manyToolsServer({ tools: TOOLS, pageSize });
  onTestFinished(() => server.close());
  return server;
}

/** Finds and calls one of the last tools, as a model does. */
async function findAndCall(client: Client): Promise<{ readonly found: string; readonly result: string }> {
  const ask = async (name: string, input: object): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  const found = await ask('tool_search', { query: 'operation 9000', limit: 1 });
  const result = await ask('tool_call', { name: 'plant__operation_9000', arguments: {} });
  return { found, result };
}

describe('10,000 tools of one server', () => {
  it.each([TOOLS, 50])('are found and called through the proxy, %i to a page', async (pageSize) => {
    const server = await plant(pageSize);
    const hub = createHub({ servers: { plant: { url: server.url } } });
    const proxy = createProxy({ hub });
    onTestFinished(async () => {
      await proxy.close();
      await hub.close();
    });
    const client = new Client(INFO);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await proxy.connect(theirs, { isSole: true });
    await client.connect(ours as Transport);
    await hub.start();
    expect(hub.snapshot().tools).toHaveLength(TOOLS);
    expect(hub.unavailable()).toEqual([]);
    const { found, result } = await findAndCall(client);
    expect(JSON.parse(found)).toMatchObject({ matches: [expect.stringMatching(/^plant__operation_9000\(/)] });
    expect(result).toBe('ran operation_9000');
    expect(server.called).toEqual(['operation_9000']);
  });

  it('are found and called through the gateway, and are a catalog there', async () => {
    const server = await plant(100);
    const other = await manyToolsServer({ tools: 5, pageSize: 5 });
    const hub = createHub({ servers: { plant: { url: server.url }, other: { url: other.url } } });
    const store = await openStore({ path: ':memory:' });
    const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'Done.' }] });
    const limits = contextWindow();
    const gateway = createGateway({
      store,
      workerUrl: false,
      upstreams: {
        resolve: () => ({
          name: 'scripted',
          toolSearch: 'local',
          limits,
          capabilities: () => capabilitiesOf('anthropic'),
          for: async () => upstream as never,
        }),
        models: async () => [],
      },
      search: { engine: 'bm25', whenNothingFits: 'empty' },
      mcp: { hub },
    });
    const running = await serve({ gateway, port: 0, hasKeys: false });
    onTestFinished(async () => {
      await running.close();
      await hub.close();
      await store.close();
      await other.close();
    });
    await hub.start();
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', running.url)));
    onTestFinished(() => client.close());
    const { found, result } = await findAndCall(client);
    expect(JSON.parse(found)).toMatchObject({ matches: [expect.stringMatching(/^plant__operation_9000\(/)] });
    expect(result).toBe('ran operation_9000');
    const catalog = await fetch(new URL('/v1/catalogs/mcpServers', running.url));
    expect(((await catalog.json()) as { tools: unknown[] }).tools).toHaveLength(TOOLS + 5);
    const asked = await fetch(new URL('/v1/messages', running.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'any',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [{ type: 'quartermaster_catalog', name: 'mcpServers', defer_loading: true }],
      }),
    });
    expect(await asked.json()).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
  });

  it('are found and called through the agent', async () => {
    const server = await plant(100);
    const upstream = scripted({
      dialect: 'anthropic',
      turns: [
        { calls: [{ name: 'tool_search', input: { query: 'operation 9000', limit: 1 } }] },
        { calls: [{ name: 'mcp__plant__operation_9000', input: {} }] },
        { text: 'Done.' },
      ],
    });
    const messages: SDKMessage[] = [];
    const options = {
      upstream,
      persistSession: false,
      allowedTools: ['mcp__plant__*'],
      mcpServers: { plant: { type: 'http' as const, url: server.url } },
      startWaitMs: 30_000,
    };
    for await (const message of query({ prompt: 'Run operation 9000', options })) messages.push(message);
    expect(messages[0]).toMatchObject({
      tools: expect.objectContaining({ length: TOOLS }),
      mcp_servers: [{ name: 'plant', status: 'connected' }],
    });
    expect(server.called).toEqual(['operation_9000']);
    expect(JSON.stringify(messages)).toContain('ran operation_9000');
  });
});

describe('what is past the limit of tools per server', () => {
  const limits = { toolsPerServer: 100 };

  it('is neither found nor called, and every search says that it is missing', async () => {
    const server = await plant(30);
    const hub = createHub({ servers: { plant: { url: server.url } }, limits });
    const events: unknown[] = [];
    hub.subscribe((event) => events.push(event));
    const proxy = createProxy({ hub, settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } } });
    onTestFinished(async () => {
      await proxy.close();
      await hub.close();
    });
    await hub.start();
    const client = new Client(INFO);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await proxy.connect(theirs, { isSole: true });
    await client.connect(ours as Transport);
    const reason = 'its list was cut off after 100 tools (mcp.limits.toolsPerServer)';
    expect(hub.status()).toMatchObject([{ tools: 100, stopped: 'after 100 tools (mcp.limits.toolsPerServer)' }]);
    expect(events).toContainEqual({ kind: 'listing-cut', server: 'plant', reason });
    expect(client.getInstructions()).toContain(`plant: ${reason}`);
    const { found, result } = await findAndCall(client);
    expect(JSON.parse(found).unavailable).toEqual([{ server: 'plant', reason }]);
    expect(result).toMatch(/There is no tool "?plant__operation_9000/);
    expect(server.called).toEqual([]);
  });
});
