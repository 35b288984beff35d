import { openStore, type Store, StoreError } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK } from './weather-request.fixture.ts';

const HELLO = message([{ text: 'Hello.' }], 'end_turn');
const AWAY = new StoreError('unavailable', 'The store (PostgreSQL) is unavailable: the connection was lost', {
  cause: Object.assign(new Error('terminating connection of ann'), { code: '57P01' }),
});
const FULL = new StoreError('full', 'The store (SQLite) is out of space', {
  cause: Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
});

/** A store whose every area fails for as long as it has an error. */
async function breakableStore() {
  const store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const fault: { error?: Error } = {};
  const breakable = <Area extends object>(area: Area): Area =>
    new Proxy(area, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return breakable(value);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          fault.error === undefined ? value.apply(target, args) : Promise.reject(fault.error);
      },
    });
  return { store: breakable(store) as Store, whole: store, fault };
}

const clockAt = (time: { now: number }) => ({ now: () => time.now, after: () => () => undefined });

describe('a gateway whose store is away', () => {
  it('answers what needs the store with 503, a reason and when to try again, in both dialects', async () => {
    const { store, fault } = await breakableStore();
    const { url, post, log } = await runningGateway({ upstreams: scriptedUpstreams({}), store });
    fault.error = AWAY;
    const catalogs = await fetch(`${url}/v1/catalogs`);
    expect([catalogs.status, catalogs.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await catalogs.json()).toMatchObject({
      error: {
        type: 'api_error',
        message: 'The store (PostgreSQL) is unavailable: the connection was lost; try again in 1 s',
        details: { error_code: 'store_unavailable' },
      },
    });
    const chat = await post('/v1/chat/completions', { model: 'gpt', messages: [] });
    expect(chat.status).toBe(503);
    expect(await chat.json()).toMatchObject({ error: { code: 'store_unavailable' } });
    expect(log.find(({ status }) => status === 503)).toMatchObject({
      ...{ level: 'error', error: 'StoreError', code: '57P01', reason: AWAY.message },
    });
    expect(JSON.stringify(log)).not.toContain('ann');
  });

  it('goes on serving keys that it has just seen, for half a minute', async () => {
    const { store, whole, fault } = await breakableStore();
    const { secret } = await whole.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits: {} });
    const time = { now: 1_000_000 };
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, HELLO, HELLO] });
    const { post } = await runningGateway({ upstreams, store, clock: clockAt(time) });
    const ask = async (key = secret) => (await post('/v1/messages', ASK, { 'x-api-key': key })).status;
    expect(await ask()).toBe(200);
    fault.error = AWAY;
    time.now += 29_000;
    expect(await ask()).toBe(200);
    expect(await ask('another')).toBe(503);
    time.now += 1_000;
    expect(await ask()).toBe(503);
    delete fault.error;
    expect(await ask()).toBe(200);
  });

  it('does not wait for a store that hangs while it knows the key', async () => {
    const { store, whole } = await breakableStore();
    const { secret } = await whole.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits: {} });
    const time = { now: 1_000_000 };
    const hanging = { isOn: false };
    const find: Store['keys']['find'] = (asked) =>
      hanging.isOn ? new Promise(() => undefined) : whole.keys.find(asked);
    const clock = {
      now: () => time.now,
      // Waiting requests have waited.
      after(delayMs: number, run: () => void) {
        if (delayMs === 500) run();
        return () => undefined;
      },
    };
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, HELLO, HELLO] });
    const { post } = await runningGateway({ upstreams, store: { ...store, keys: { ...whole.keys, find } }, clock });
    const ask = async () => (await post('/v1/messages', ASK, { 'x-api-key': secret })).status;
    expect(await ask()).toBe(200);
    hanging.isOn = true;
    time.now += 20_000;
    expect([await ask(), await ask()]).toEqual([200, 200]);
  });

  it('refuses a revoked key a second later at the latest', async () => {
    const { store } = await breakableStore();
    const { key, secret } = await store.keys.create({ name: 'team', models: ['*'], catalogs: ['*'], limits: {} });
    const time = { now: 1_000_000 };
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}), store, clock: clockAt(time) });
    const ask = async () => (await fetch(`${url}/v1/models`, { headers: { 'x-api-key': secret } })).status;
    expect(await ask()).toBe(200);
    await store.keys.revoke(key.id);
    time.now += 1_000;
    expect(await ask()).toBe(401);
  });

  it('is alive but not ready, says which part is away, and asks probes for no key', async () => {
    const { store, whole, fault } = await breakableStore();
    await whole.keys.create({ name: 'team', models: [], catalogs: [], limits: {} });
    const { url } = await runningGateway({ upstreams: scriptedUpstreams({}), store });
    const probe = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return [response.status, await response.json()];
    };
    expect(await probe('/readyz')).toEqual([200, { status: 'ready' }]);
    fault.error = AWAY;
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    expect(await probe('/readyz')).toEqual([503, { status: 'not ready', reasons: { store: AWAY.message } }]);
    expect(await probe('/healthz')).toEqual([503, { status: 'failing', reason: AWAY.message }]);
  });

  it('is not ready without an upstream', async () => {
    const upstreams = { ...scriptedUpstreams({}), problems: () => ['No upstream is configured'] };
    const { url } = await runningGateway({ upstreams });
    const response = await fetch(`${url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not ready', reasons: { upstreams: 'No upstream is configured' } },
    ]);
  });

  it('loses no count: what could not be written is written when the store is back', async () => {
    const { store, whole, fault } = await breakableStore();
    const upstreams = scriptedUpstreams({ anthropic: [HELLO, HELLO] });
    const { url, post, log } = await runningGateway({ upstreams, store });
    expect((await post('/v1/messages', ASK)).status).toBe(200);
    const put = { method: 'PUT', body: JSON.stringify([{ name: 'a', input_schema: {} }]) };
    await fetch(`${url}/v1/catalogs/acme`, put);
    fault.error = AWAY;
    // Writes the counts first.
    await fetch(`${url}/v1/catalogs/acme/usage`);
    delete fault.error;
    await fetch(`${url}/v1/catalogs/acme/usage`);
    const day = new Date().toISOString().slice(0, 10);
    expect(await whole.usage.days({ owner: '', from: '2000-01-01', to: day })).toMatchObject([{ requests: 1 }]);
    expect(log.filter(({ work }) => work === 'usage').length).toBeLessThanOrEqual(1);
  });
});

describe('a gateway whose store is full', () => {
  it('answers writes with 507 and its reason, and logs the code', async () => {
    const { store, fault } = await breakableStore();
    const { url, log } = await runningGateway({ upstreams: scriptedUpstreams({}), store });
    await fetch(`${url}/v1/models`);
    fault.error = FULL;
    const response = await fetch(`${url}/v1/catalogs/acme`, { method: 'PUT', body: '[]' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([507, '30']);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('is out of space') } });
    expect(log.at(-1)).toMatchObject({ level: 'error', status: 507, code: 'SQLITE_FULL' });
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ reasons: { store: FULL.message } });
  });
});
