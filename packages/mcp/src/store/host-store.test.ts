import { openStore } from '@quartermaster/host/store';
import { describe, expect, it } from 'vitest';
import { createHub, type Hub } from '../hub/index.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import type { TokenStore } from './index.ts';

describe('the store of a running Quartermaster', () => {
  it('keeps listings and pins for the hub', async () => {
    const store = await openStore({ path: ':memory:' });
    let description = 'Adds';
    const servers = { math: smallServer(() => ({ add: description })) };
    const start = async (): Promise<Hub> => {
      const { listings, pins } = store;
      const hub = createHub({ servers, listings, pins, quarantine: 'changed' });
      await hub.start();
      return hub;
    };
    const first = await start();
    await first.close();
    const hub = await start();
    expect(hub.status()[0]).toMatchObject({ state: 'idle', tools: 1 });

    description = 'Adds, and more';
    await hub.connect('math');
    await until(() => hub.snapshot().tools.length === 0);
    expect(hub.status()[0]?.held).toMatchObject([{ tool: 'math/add', fields: ['description'] }]);
    await hub.close();
    await store.close();
  });

  it('keeps what a listing lacks', async () => {
    const { listings, close } = await openStore({ path: ':memory:' });
    const options = {
      servers: { math: smallServer(() => ({ add: 'Adds', divide: 'Divides' })) },
      listings,
      limits: { toolsPerServer: 1 },
    };
    for (const state of ['ready', 'idle']) {
      const hub = createHub(options);
      await hub.start();
      expect(hub.status()[0]).toMatchObject({ state, tools: 1 });
      expect(hub.unavailable()).toEqual([
        { server: 'math', reason: 'its list was cut off after 1 tools (mcp.limits.toolsPerServer)' },
      ]);
      await hub.close();
    }
    await close();
  });

  it('keeps tokens apart', async () => {
    const store = await openStore({ path: ':memory:', encryptionKeys: [new Uint8Array(32).fill(7)] });
    const tokens: TokenStore = store.tokens;
    await tokens.put({ user: 'ada', server: 'a' }, 'secret');
    expect(await tokens.get({ user: 'ada', server: 'a' })).toBe('secret');
    expect(await tokens.get({ user: 'grace', server: 'a' })).toBeUndefined();
    await store.close();
  });
});
