import { describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { type SessionServer, sessionServer } from '../testing/session-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub, Peer } from './hub.ts';

interface Started {
  readonly hub: Hub;
  readonly server: SessionServer;
  readonly clock: ManualClock;
}

/** `part` answers in the server's place when it is told that a session has ended. */
async function start(part?: (init: RequestInit) => Promise<Response>, run = (): string => 'hello'): Promise<Started> {
  const server = sessionServer({ tools: () => ({ hello: run }) });
  const fetch: typeof globalThis.fetch = (input, init) =>
    init?.method === 'DELETE' && part !== undefined ? part(init) : server.fetch(input, init);
  const clock = manualClock();
  const hub = createHub({ servers: { remote: { type: 'http', url: 'http://remote.test/mcp' } }, fetch, clock });
  await hub.start();
  return { hub, server, clock };
}

async function call(hub: Hub, peer?: Peer): Promise<void> {
  const tool = hub.snapshot().get('remote/hello');
  if (tool === undefined) throw new Error('no tool');
  await hub.call({ tool, arguments: {}, origin: { peer } });
}

describe('the session at a server', () => {
  it('is ended with the hub', async () => {
    const { hub, server } = await start();
    await call(hub);
    expect(server.ended).toEqual([]);
    await hub.close();
    expect(server.sessions).toHaveLength(1);
    expect(server.ended).toEqual(server.sessions);
  });

  it('is ended with its client, and no other', async () => {
    const { hub, server } = await start();
    const peer: Peer = { capabilities: {}, request: async () => ({}), notify: () => {} };
    await call(hub, peer);
    const [, own] = server.sessions;
    await hub.release(peer);
    expect(server.ended).toEqual([own]);
    await call(hub);
    await hub.close();
    expect(server.ended).toHaveLength(2);
  });

  it.each([
    ['does not have such a thing', async () => new Response(null, { status: 405 })],
    ['has forgotten it', async () => new Response(null, { status: 404 })],
    ['fails', async () => new Response(null, { status: 500 })],
    ['is gone', () => Promise.reject(new TypeError('fetch failed'))],
  ])('needs no answer: the server %s', async (_, part: () => Promise<Response>) => {
    const { hub } = await start(part);
    await hub.close();
    expect(hub.status()).toMatchObject([{ state: 'idle' }]);
  });

  it('does not keep running calls if the server is slow to end it', async () => {
    let hasBegun = false;
    let hear = (): void => {};
    const heard = new Promise<Response>((resolve) => {
      hear = () => resolve(new Response(null, { status: 200 }));
    });
    const never = new Promise<string>(() => {});
    const { hub } = await start(
      () => heard,
      () => {
        hasBegun = true;
        return never as unknown as string;
      },
    );
    const calling = call(hub);
    await until(() => hasBegun);
    let isClosed = false;
    const closing = hub.close().then(() => {
      isClosed = true;
    });
    await expect(calling).rejects.toThrow();
    expect(isClosed).toBe(false);
    hear();
    await closing;
  });

  it.each([
    ['says nothing', (aborted: Promise<never>): Promise<Response> => aborted],
    [
      'does not come to an end',
      async (aborted: Promise<never>): Promise<Response> =>
        new Response(new ReadableStream({ start: (body) => void aborted.catch((error) => body.error(error)) })),
    ],
  ])('has two seconds to end if the server %s', async (_, answer) => {
    let isAsked = false;
    const { hub, clock } = await start(({ signal }) => {
      isAsked = true;
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      return answer(aborted);
    });
    let isClosed = false;
    const closing = hub.close().then(() => {
      isClosed = true;
    });
    await until(() => isAsked);
    clock.advance(1_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    clock.advance(1);
    await closing;
  });
});
