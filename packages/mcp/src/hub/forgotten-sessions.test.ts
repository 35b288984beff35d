import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { modernHandler } from '../testing/modern-handler.fixture.ts';
import { type SessionServer, type SessionServerOptions, sessionServer } from '../testing/session-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub, Peer } from './hub.ts';
import type { HubOptions } from './hub-options.ts';

const hubs: Hub[] = [];

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});

interface Started {
  readonly hub: Hub;
  readonly server: SessionServer;
  readonly clock: ManualClock;
}

const HELLO = { hello: () => 'hello' };

async function start(server: Partial<SessionServerOptions> = {}, options: Partial<HubOptions> = {}): Promise<Started> {
  const clock = manualClock();
  const made = sessionServer({ tools: () => HELLO, ...server });
  const servers = { remote: { type: 'http' as const, url: 'http://remote.test/mcp' } };
  const hub = createHub({ servers, fetch: made.fetch, clock, ...options });
  hubs.push(hub);
  await hub.start();
  return { hub, server: made, clock };
}

async function call(hub: Hub, name = 'hello', peer?: Peer): Promise<string> {
  const tool = hub.snapshot().get(`remote/${name}`);
  if (tool === undefined) throw new Error(`There is no ${name}: ${JSON.stringify(hub.unavailable())}`);
  return textOf(await hub.call({ tool, arguments: {}, origin: { peer } }));
}

const answersTo = ({ posted }: SessionServer, method: string): readonly number[] =>
  posted.filter((one) => one.method === method).map((one) => one.status);

/** A tool that answers when it is told to. */
function slowTool(): { readonly run: () => Promise<string>; readonly hasBegun: () => boolean; finish(): void } {
  let hasBegun = false;
  let finish = (): void => {};
  const finished = new Promise<string>((resolve) => {
    finish = () => resolve('at last');
  });
  const run = (): Promise<string> => {
    hasBegun = true;
    return finished;
  };
  return { run, hasBegun: () => hasBegun, finish: () => finish() };
}

describe('a hub whose server has lost the session', () => {
  it('repeats the call on a new session', async () => {
    const { hub, server } = await start();
    expect(await call(hub)).toBe('hello');
    server.forget();
    expect(await call(hub)).toBe('hello');
    expect(await call(hub)).toBe('hello');
    expect(server.sessions).toHaveLength(2);
    expect(answersTo(server, 'tools/call')).toEqual([200, 404, 200, 200]);
  });

  it('does so for other requests too', async () => {
    const { hub, server } = await start();
    server.forget();
    const result = await hub.request({ server: 'remote', method: 'tools/list' });
    expect(result.tools).toMatchObject([{ name: 'hello' }]);
  });

  it("does so on a peer's own connection, and leaves the others' alone", async () => {
    const refused = new Set<string>();
    const { hub, server } = await start({ refuse: ({ session = '' }) => (refused.has(session) ? 404 : undefined) });
    const peer: Peer = { capabilities: {}, request: async () => ({}), notify: () => {} };
    expect(await call(hub, 'hello', peer)).toBe('hello');
    const [shared, own = ''] = server.sessions;
    refused.add(own);
    expect(await call(hub, 'hello', peer)).toBe('hello');
    expect(server.sessions).toHaveLength(3);
    expect(await call(hub)).toBe('hello');
    expect(server.posted.at(-1)?.session).toBe(shared);
  });

  it('starts one session for all calls that fail together', async () => {
    const { hub, server } = await start();
    server.forget();
    const texts = await Promise.all(Array.from({ length: 5 }, () => call(hub)));
    expect(texts).toEqual(Array(5).fill('hello'));
    expect(server.sessions).toHaveLength(2);
  });

  it('lists the tools of the new session', async () => {
    let tools: Record<string, () => string> = HELLO;
    const { hub, server } = await start({ tools: () => tools });
    tools = { ...HELLO, more: () => 'more' };
    server.forget();
    expect(await call(hub)).toBe('hello');
    await until(() => hub.snapshot().get('remote/more') !== undefined);
    expect(await call(hub, 'more')).toBe('more');
  });

  it('lists the tools of the new session even while those of the old one are being listed', async () => {
    const server = sessionServer({ tools: () => HELLO });
    const gate = slowTool();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (!gate.hasBegun() && String(init?.body).includes('tools/list')) await gate.run();
      return server.fetch(input, init);
    };
    const started = start({}, { fetch });
    await until(gate.hasBegun);
    server.forget();
    const [hub] = hubs;
    await hub?.request({ server: 'remote', method: 'ping' });
    gate.finish();
    await started;
    await until(() => hub?.snapshot().get('remote/hello') !== undefined);
    expect(hub?.unavailable()).toEqual([]);
    expect(server.sessions).toHaveLength(2);
  });

  it('lets a running call on the old session finish', async () => {
    const slow = slowTool();
    const { hub, server } = await start({ tools: () => ({ ...HELLO, slow: slow.run }) });
    const under = call(hub, 'slow');
    await until(slow.hasBegun);
    server.forget();
    expect(await call(hub)).toBe('hello');
    await until(() => server.streams.length === 2);
    const isEnded = (): readonly boolean[] => server.streams.map((signal) => signal.aborted);
    expect(isEnded()).toEqual([false, false]);
    slow.finish();
    expect(await under).toBe('at last');
    expect(isEnded()).toEqual([true, false]);
    expect(answersTo(server, 'tools/call').filter((status) => status === 404)).toHaveLength(1);
  });

  it('ends running calls on the old session when it is closed', async () => {
    const slow = slowTool();
    const { hub, server } = await start({ tools: () => ({ ...HELLO, slow: slow.run }) });
    const ended = call(hub, 'slow').catch(String);
    await until(slow.hasBegun);
    server.forget();
    expect(await call(hub)).toBe('hello');
    await hub.close();
    expect(await ended).toMatch(/connection to server "remote" was lost while "slow" ran/);
  });

  it('starts a session at once after each one that was useful', async () => {
    const { hub, server } = await start();
    for (const sessions of [2, 3, 4]) {
      server.forget();
      expect(await call(hub)).toBe('hello');
      expect(server.sessions).toHaveLength(sessions);
    }
  });

  it('starts a session at once after one that lasted', async () => {
    const { hub, server, clock } = await start();
    server.forget();
    await expect(hub.request({ server: 'remote', method: 'no/such' })).rejects.toThrow('Method not found');
    expect(server.sessions).toHaveLength(2);
    clock.advance(30_000);
    server.forget();
    expect(await call(hub)).toBe('hello');
    expect(server.sessions).toHaveLength(3);
  });

  it('reports definitions that changed with the session, as on any new connection', async () => {
    let tools: Record<string, () => string> = HELLO;
    const changes: string[] = [];
    const { hub, server } = await start({
      tools: () => tools,
      describe: (name) => `${name} ${Object.keys(tools).length}`,
    });
    hub.subscribe((event) => {
      if (event.kind === 'definition-change') changes.push(event.change.tool);
    });
    tools = { ...HELLO, more: () => 'more' };
    server.forget();
    expect(await call(hub)).toBe('hello');
    await until(() => changes.length > 0);
    expect(changes).toEqual(['remote/hello']);
  });
});

describe('a hub whose server keeps losing sessions', () => {
  it('repeats a call once, then fails and pauses', async () => {
    let isForgetful = true;
    const refuse: SessionServerOptions['refuse'] = ({ method }) =>
      isForgetful && method === 'tools/call' ? 404 : undefined;
    const { hub, server, clock } = await start({ refuse });
    await expect(call(hub)).rejects.toMatchObject({
      code: 'server_down',
      message: 'Server "remote" can\'t be reached: it no longer knows its session (HTTP 404)',
    });
    expect(answersTo(server, 'tools/call')).toEqual([404, 404]);
    await expect(call(hub)).rejects.toThrow('it no longer knows its session');
    expect(server.sessions).toHaveLength(2);
    expect(hub.status()[0]).toMatchObject({ state: 'down', reason: expect.stringContaining('session') });
    isForgetful = false;
    clock.advance(1_000);
    expect(await call(hub)).toBe('hello');
    expect(server.sessions).toHaveLength(3);
  });

  it('pauses longer each time if not even the tools can be listed', async () => {
    const { hub, server, clock } = await start({ refuse: ({ method }) => (method === 'tools/list' ? 404 : undefined) });
    const isDown = (): boolean => hub.status()[0]?.state === 'down';
    await until(isDown);
    expect(server.sessions).toHaveLength(2);
    for (const [index, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      clock.advance(pauseMs - 1);
      expect(isDown()).toBe(true);
      clock.advance(1);
      expect(isDown()).toBe(false);
      await until(isDown);
      expect(server.sessions).toHaveLength(3 + index);
    }
  });
});

describe('a call that failed in another way', () => {
  it.each([400, 403, 410, 500, 503])('is not repeated: %i', async (status) => {
    const { hub, server } = await start({ refuse: ({ method }) => (method === 'tools/call' ? status : undefined) });
    await expect(call(hub)).rejects.toMatchObject({ status });
    expect(answersTo(server, 'tools/call')).toEqual([status]);
    expect(server.sessions).toHaveLength(1);
  });

  it('is not repeated: 404 without a session', async () => {
    let calls = 0;
    const { handler } = modernHandler(() => ['hello']);
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (!String(init?.body).includes('tools/call')) return handler.fetch(new Request(input, init));
      calls += 1;
      return new Response('Not found', { status: 404 });
    };
    const { hub } = await start({}, { fetch });
    await expect(call(hub)).rejects.toMatchObject({ status: 404 });
    expect(calls).toBe(1);
    expect(hub.status()[0]?.state).toBe('ready');
  });

  it('is not repeated: connection lost', async () => {
    let calls = 0;
    const inner = sessionServer({ tools: () => HELLO });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await inner.fetch(input, init);
      if (!String(init?.body).includes('tools/call')) return response;
      calls += 1;
      throw new TypeError('fetch failed');
    };
    const { hub } = await start({}, { fetch });
    await expect(call(hub)).rejects.toThrow('fetch failed');
    expect(calls).toBe(1);
    expect(inner.sessions).toHaveLength(1);
  });
});
