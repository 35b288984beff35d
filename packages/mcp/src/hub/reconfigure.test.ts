import { describe, expect, it, onTestFinished } from 'vitest';
import { smallServer } from '../testing/small-server.fixture.ts';
import { createHub } from './create-hub.ts';
import type { Hub } from './hub.ts';
import type { HubOptions } from './hub-options.ts';

function makeHub(options: HubOptions): Hub {
  const hub = createHub(options);
  onTestFinished(() => hub.close());
  return hub;
}

const toolIds = (hub: Hub): readonly string[] => hub.snapshot().tools.map(({ id }) => id);

describe('unusable servers', () => {
  const unusable = [{ server: 'broken', reason: 'needs the environment variable TOKEN' }];

  it('are listed in searches and in the status', async () => {
    const hub = makeHub({ servers: { one: smallServer(() => ({ a: 'A' })) }, unusable });
    await hub.start();
    expect(toolIds(hub)).toEqual(['one/a']);
    expect(hub.unavailable()).toEqual(unusable);
    expect(hub.status()).toMatchObject([
      { name: 'one', state: 'ready' },
      { name: 'broken', state: 'down', tools: 0, reason: 'needs the environment variable TOKEN' },
    ]);
  });

  it('are no longer listed once they can be used', async () => {
    const hub = makeHub({ servers: {}, unusable });
    await hub.start();
    await hub.reconfigure({ servers: { broken: smallServer(() => ({ a: 'A' })) } });
    expect(hub.unavailable()).toEqual([]);
    expect(toolIds(hub)).toEqual(['broken/a']);
  });
});

describe('reconfiguring', () => {
  it('starts new servers, stops removed ones, restarts changed ones, and leaves the rest alone', async () => {
    const [kept, gone, added] = [
      smallServer(() => ({ k: 'K' })),
      smallServer(() => ({ g: 'G' })),
      smallServer(() => ({ a: 'A' })),
    ];
    const changed = smallServer(() => ({ c: 'C', d: 'D' }));
    const hub = makeHub({ servers: { kept, gone, changed } });
    await hub.start();
    const before = hub.snapshot();
    const told: string[] = [];
    hub.subscribe((event) => {
      if (event.kind === 'server-change') told.push(event.server);
    });
    await hub.reconfigure({ servers: { added, kept, changed: { ...changed, deny: ['d'] } } });
    expect(toolIds(hub)).toEqual(['added/a', 'kept/k', 'changed/c']);
    expect([kept, gone, changed, added].map(({ instances }) => instances[0]?.isConnected())).toEqual([
      ...[true, false],
      // Known from its listing, so that it waits for its first use.
      ...[false, true],
    ]);
    expect(told).toEqual(expect.arrayContaining(['gone', 'changed', 'added']));
    expect(told).not.toContain('kept');
    expect(hub.snapshot()).not.toBe(before);
    await expect(hub.request({ server: 'gone', method: 'prompts/list', params: {} })).rejects.toMatchObject({
      code: 'unknown_server',
    });
  });

  it('waits for an added server like for the first ones', async () => {
    const added = smallServer(() => ({ a: 'A' }));
    let letIn = (): void => {};
    const opened = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    const slow = {
      ...added,
      create: async () => {
        await opened;
        return added.create();
      },
    };
    const hub = makeHub({ servers: {}, isLazy: false });
    await hub.start();
    void hub.reconfigure({ servers: { slow } });
    let isStarted = false;
    const started = hub.started('slow').then(() => {
      isStarted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStarted).toBe(false);
    letIn();
    await started;
    expect(toolIds(hub)).toEqual(['slow/a']);
  });

  it('starts nothing before the hub starts or after it is closed', async () => {
    const [one, two] = [smallServer(() => ({ a: 'A' })), smallServer(() => ({ b: 'B' }))];
    const hub = makeHub({ servers: {} });
    await hub.reconfigure({ servers: { one } });
    expect(one.instances).toEqual([]);
    await hub.start();
    expect(toolIds(hub)).toEqual(['one/a']);
    await hub.close();
    await hub.reconfigure({ servers: { two } });
    expect(two.instances).toEqual([]);
  });
});
