import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Connectable, createHub, type Hub } from '../hub/index.ts';
import { type ClientLine, connectClient, createClient, textOf } from '../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { rawServer } from '../testing/raw-server.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createProxy, type ProxyOptions } from './create-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';

interface Setup {
  readonly hub: Hub;
  readonly proxy: McpProxy;
  readonly clock: ManualClock;
  /** Lets the server that hangs start after all. */
  readonly release: () => void;
}

/** A proxy in front of a server that answers and one that never starts, with a clock that only the test moves. */
function setUp(options: Partial<ProxyOptions> = {}): Setup {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = smallServer(() => ({ late_tool: 'Does what comes late' }));
  const hanging = { ...late, create: (): Promise<Connectable> => released.then(() => late.create()) };
  const hub = createHub({ servers: { hanging, fine: smallServer(() => ({ fine_tool: 'Does what is fine' })) } });
  const clock = manualClock();
  const proxy = createProxy({ hub, clock, ...options });
  onTestFinished(async () => {
    release();
    await proxy.close();
    await hub.close();
  });
  return { hub, proxy, clock, release };
}

/** A client whose greeting is answered when a quarter of a second has passed, and no more. */
async function greeted({ hub, proxy, clock }: Setup, line: ClientLine = 'v2'): Promise<Client> {
  const client = createClient(line);
  const connecting = connectClient(proxy, client, { isSole: true });
  await until(() => hub.snapshot().tools.length === 1 && clock.pending.includes(250));
  clock.advance(250);
  await connecting;
  return client;
}

async function inTime<Value>(work: Promise<Value>, clock: ManualClock, ms: number): Promise<Value> {
  await until(() => clock.pending.includes(ms));
  clock.advance(ms);
  return work;
}

describe('a server that hangs when it is first started', () => {
  it.each<ClientLine>(['v1', 'v2', 'v2-modern'])('holds up the greeting of a %s client for 250 ms', async (line) => {
    const client = await greeted(setUp(), line);
    expect(client.getServerVersion()?.name).toBe('quartermaster');
  });

  it('delays the first list by at most two seconds; later tools are announced', async () => {
    const setup = setUp();
    const client = await greeted(setup);
    let changes = 0;
    client.fallbackNotificationHandler = async () => {
      changes += 1;
    };
    const listing = inTime(client.listTools(), setup.clock, 1_750);
    expect((await listing).tools.map(({ name }) => name)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const search = async (query: string): Promise<string> =>
      textOf(await client.callTool({ name: 'tool_search', arguments: { query } }));
    const found = JSON.parse(await search('what is fine'));
    expect(found.matches[0]).toMatch(/^fine__fine_tool\(/);
    expect(found.unavailable).toEqual([{ server: 'hanging', reason: 'it is still starting' }]);
    setup.release();
    await until(() => setup.hub.snapshot().tools.length === 2);
    // Found by clients that don't list again, too.
    expect(await search('what comes late')).toContain('hanging__late_tool');
    const call = { name: 'tool_call', arguments: { name: 'hanging__late_tool', arguments: { text: 'x' } } };
    expect(textOf(await client.callTool(call))).toBe('late_tool: x');
    setup.clock.advance(50);
    await until(() => changes > 0);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hanging__late_tool', 'fine__fine_tool']);
    // What it was shown before still works, for clients that have not noticed.
    setup.clock.advance(50);
  });

  it('does not delay calls or descriptions of known tools', async () => {
    const setup = setUp();
    const client = await greeted(setup);
    const describing = { name: 'tool_describe', arguments: { name: 'fine__fine_tool' } };
    expect(textOf(await client.callTool(describing))).toContain('Does what is fine');
    const calling = { name: 'tool_call', arguments: { name: 'fine__fine_tool', arguments: { text: 'x' } } };
    expect(textOf(await client.callTool(calling))).toBe('fine_tool: x');
    expect(textOf(await client.callTool({ name: 'fine__fine_tool', arguments: { text: 'y' } }))).toBe('fine_tool: y');
  });

  it('does not delay the answer to a call that only another server could serve', async () => {
    const setup = setUp();
    const client = await greeted(setup);
    for (const name of ['fine__no_such_tool', 'gone__tool']) {
      expect(textOf(await client.callTool({ name, arguments: {} }))).toContain(`There is no tool "${name}"`);
    }
  });

  it('does not delay the answer to a call of a tool that is held back', async () => {
    const hanging = { type: 'in-process' as const, create: () => new Promise<never>(() => {}) };
    const hub = createHub({
      servers: { hanging, fine: smallServer(() => ({ fine_tool: 'Fine' })) },
      quarantine: 'new',
    });
    const clock = manualClock();
    const proxy = createProxy({ hub, clock });
    onTestFinished(async () => {
      await proxy.close();
      await hub.close();
    });
    const client = createClient('v2');
    const connecting = connectClient(proxy, client, { isSole: true });
    await until(() => hub.status()[1]?.held.length === 1 && clock.pending.includes(250));
    clock.advance(250);
    await connecting;
    expect(textOf(await client.callTool({ name: 'fine__fine_tool', arguments: {} }))).toContain('it is new');
  });

  it('delays only calls of its own tools', async () => {
    const setup = setUp();
    const client = await greeted(setup);
    const calling = client.callTool({ name: 'hanging__late_tool', arguments: { text: 'x' } });
    await until(() => setup.clock.pending.includes(9_750));
    setup.release();
    expect(textOf(await calling)).toBe('late_tool: x');
  });

  it('is distinguished from a tool that does not exist', async () => {
    const setup = setUp();
    const client = await greeted(setup);
    const calling = client.callTool({ name: 'hanging__late_tool', arguments: {} });
    await until(() => setup.clock.pending.includes(9_750));
    setup.clock.advance(9_750);
    expect(textOf(await calling)).toBe(
      'Tool "hanging__late_tool" can\'t be called now: server "hanging" has not listed its tools yet (it is still starting). Try again in a moment.',
    );
    const unknown = await client.callTool({ name: 'fine__no_such_tool', arguments: {} });
    expect(textOf(unknown)).toContain('There is no tool "fine__no_such_tool"');
  });

  it('does not delay stateless requests two seconds after the start', async () => {
    const { proxy, clock } = setUp();
    const ask = async (method: string, params: object): Promise<unknown> => {
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return (await proxy.fetch(request)).text();
    };
    const first = ask('tools/list', {});
    await until(() => clock.pending.includes(250));
    clock.advance(250);
    expect(await inTime(first, clock, 1_750)).toContain('tool_search');
    expect(await ask('tools/list', {})).toContain('tool_search');
    expect(await ask('tools/call', { name: 'fine__fine_tool', arguments: { text: 'x' } })).toContain('fine_tool: x');
    expect(clock.pending).toEqual([]);
  });
});

describe('a client that connects before the servers are ready', () => {
  /** One whose server has prompts, and starts when it is let go. */
  async function greetedEarly() {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const clock = manualClock();
    const hub = createHub({ servers: { raw: rawServer({ capabilities: { prompts: {} } }) } });
    const held: Hub = {
      ...hub,
      start: (options) => released.then(() => hub.start(options)),
    };
    const proxy = createProxy({ hub: held, clock });
    onTestFinished(async () => {
      await proxy.close();
      await hub.close();
    });
    const client = createClient('v2');
    const heard: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    await inTime(connectClient(proxy, client, { isSole: true }), clock, 250);
    return { client, heard, clock, hub, release };
  }

  it('is not notified of what it has listed since', async () => {
    const { client, heard, clock, hub, release } = await greetedEarly();
    release();
    await until(() => hub.snapshot().tools.length > 0);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['raw__hello']);
    clock.advance(50);
    await client.listPrompts();
    expect(heard).not.toContain('notifications/prompts/list_changed');
  });

  it('is offered possible capabilities, and notified when they arrive', async () => {
    const { client, heard, clock, hub, release } = await greetedEarly();
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    });
    release();
    await until(() => hub.snapshot().tools.length > 0);
    clock.advance(50);
    await until(() => heard.includes('notifications/prompts/list_changed'));
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['raw__hello']);
    expect(heard).not.toContain('notifications/resources/list_changed');
  });
});
