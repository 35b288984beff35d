import { openStore } from '@quartermaster/host/store';
import { expect, it, onTestFinished } from 'vitest';
import { movedClock } from '../moved-clock.fixture.ts';
import { createGatekeeper } from './access.ts';

const REQUEST = new Request('http://127.0.0.1/v1/messages');
const KEY = { name: 'first', role: 'admin' as const, models: ['*'], catalogs: ['*'], limits: {} };

/** A gateway without keys, and how often it has looked for one. */
async function openGateway() {
  const store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const clock = movedClock(1_000_000);
  let lookups = 0;
  const keys = Object.assign(Object.create(store.keys) as typeof store.keys, {
    list() {
      lookups += 1;
      return store.keys.list();
    },
  });
  const gatekeeper = createGatekeeper({ configured: [], keys, clock });
  return { gatekeeper, clock, store, lookups: () => lookups };
}

it('looks for a key once a second, however many requests there are', async () => {
  const { gatekeeper, clock, lookups } = await openGateway();
  for (let request = 0; request < 5; request += 1) await gatekeeper.admit(REQUEST);
  expect(lookups()).toBe(1);
  clock.move(1_000);
  await gatekeeper.admit(REQUEST);
  expect(lookups()).toBe(2);
});

it('is closed a second after another process has created the first key', async () => {
  const { gatekeeper, clock, store } = await openGateway();
  expect((await gatekeeper.admit(REQUEST)).owner).toBe('');
  const { key, secret } = await store.keys.create(KEY);
  clock.move(1_000);
  await expect(gatekeeper.admit(REQUEST)).rejects.toMatchObject({ status: 401 });
  const withKey = new Request(REQUEST, { headers: { 'x-api-key': secret } });
  expect((await gatekeeper.admit(withKey)).owner).toBe(key.id);
});

it('is closed at once by a key that it creates itself', async () => {
  const { gatekeeper, store } = await openGateway();
  await gatekeeper.admit(REQUEST);
  await store.keys.create(KEY);
  gatekeeper.forgetKeys();
  await expect(gatekeeper.admit(REQUEST)).rejects.toMatchObject({ status: 401 });
});
