import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openStore } from './open-store.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';
import { StoreError } from './store-error.ts';

export function describeSecrets({ place, open, clock }: StoreHarness): void {
  describe('API keys', () => {
    const permissions = { models: ['claude-*'], catalogs: ['acme'], limits: { requestsPerMinute: 60 } };

    it('are found by their secret, which is shown once and differs every time', async () => {
      const { keys } = await open(await place());
      const { key, secret } = await keys.create({ name: 'laptop', ...permissions });
      expect(secret).toMatch(/^qm_[\w-]{43}$/);
      expect(key).toEqual({ id: expect.stringMatching(/^key_/), name: 'laptop', ...permissions, createdAt: START });
      expect(await keys.find(secret)).toEqual(key);
      expect(await keys.find(`${secret}x`)).toBeUndefined();
      expect(await keys.find('')).toBeUndefined();
      expect((await keys.create({ name: 'other', ...permissions })).secret).not.toBe(secret);
    });

    it('keep which tools they may use, where that was decided tool by tool', async () => {
      const { keys } = await open(await place());
      const tools = { allow: ['github/*'], deny: ['*/delete_*'] };
      const { key, secret } = await keys.create({ name: 'reader', ...permissions, tools });
      expect(key.tools).toEqual(tools);
      expect((await keys.find(secret))?.tools).toEqual(tools);
      expect((await keys.list())[0]?.tools).toEqual(tools);
    });

    it.each(['ali\u200Bce', 'alice\n', 'al\u202Eice', 'alice\0', '\x1b[31malice', 'alice\ud800', ' '])(
      'have names that people can tell apart, so not %j',
      async (name) => {
        const { keys } = await open(await place());
        await keys.create({ name: 'alice', ...permissions });
        await expect(keys.create({ name, ...permissions })).rejects.toMatchObject({ code: 'invalid_value' });
      },
    );

    it('have names that are the same where they look the same', async () => {
      const { keys } = await open(await place());
      await keys.create({ name: 'Ren\u00e9', ...permissions });
      await expect(keys.create({ name: ' Rene\u0301 ', ...permissions })).rejects.toThrow('There is a key named');
    });

    it('have unique names, until they are revoked', async () => {
      const location = await place();
      const stores = await Promise.all([open(location), open(location)]);
      const created = await Promise.allSettled(stores.map(({ keys }) => keys.create({ name: 'ci', ...permissions })));
      expect(created.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [{ keys, audit }] = stores as [(typeof stores)[0], (typeof stores)[0]];
      await expect(keys.create({ name: 'ci', ...permissions })).rejects.toThrow('There is a key named "ci" already');
      const id = (await keys.list())[0]?.id ?? '';
      await keys.revoke(id);
      await keys.create({ name: 'ci', ...permissions });
      expect((await audit.list({ limit: 10 })).map(({ action }) => action).sort()).toEqual([
        ...['key.create', 'key.create', 'key.revoke'],
      ]);
    });

    it('get a new secret by rotation, and the old one works for the overlap', async () => {
      const { keys } = await open(await place());
      const { key, secret } = await keys.create({ name: 'ci', ...permissions });
      const rotated = await keys.rotate(key.id, 1_000);
      expect(rotated?.key).toEqual(key);
      clock.time += 999;
      expect((await keys.find(secret))?.id).toBe(key.id);
      expect((await keys.find(rotated?.secret ?? ''))?.id).toBe(key.id);
      clock.time += 1;
      expect(await keys.find(secret)).toBeUndefined();
      expect((await keys.find(rotated?.secret ?? ''))?.id).toBe(key.id);
      expect(await keys.rotate('key_none', 0)).toBeUndefined();
    });

    it('have several secrets while overlaps last, and none outlives the overlap of a later rotation', async () => {
      const { keys, sweep } = await open(await place());
      const { key, secret: first } = await keys.create({ name: 'ci', ...permissions });
      const second = (await keys.rotate(key.id, 1_000))?.secret ?? '';
      clock.time += 400;
      const third = (await keys.rotate(key.id, 1_000))?.secret ?? '';
      const working = async () => {
        const found = await Promise.all([first, second, third].map((secret) => keys.find(secret)));
        return found.map((one) => one?.id === key.id);
      };
      expect(await working()).toEqual([true, true, true]);
      clock.time += 600;
      expect(await working()).toEqual([false, true, true]);
      await sweep();
      expect(await working()).toEqual([false, true, true]);
      await keys.rotate(key.id, 0);
      expect(await working()).toEqual([false, false, false]);
    });

    it('can be given other models, catalogs, tools and endpoints, and lose an expiry', async () => {
      const { keys, audit } = await open(await place());
      const rights = { tools: { deny: ['*/delete_*'] }, endpoints: ['messages'], expiresAt: START + 5 };
      const { key } = await keys.create({ name: 'ci', ...permissions, ...rights });
      const change = { models: ['gpt-*'], catalogs: ['b-*'], writes: ['b-1'], tools: null, endpoints: null };
      const changed = await keys.update(key.id, { ...change, expiresAt: null }, 'key_admin');
      const { tools: _, endpoints: __, expiresAt: ___, ...rest } = key;
      expect(changed).toEqual({ ...rest, models: ['gpt-*'], catalogs: ['b-*'], writes: ['b-1'] });
      expect(await keys.get(key.id)).toEqual(changed);
      const [entry] = (await audit.list({ limit: 10 })).filter(({ action }) => action === 'key.update');
      expect(entry?.detail).toBe(
        'models ["gpt-*"]; catalogs ["b-*"]; writes ["b-1"]; tools null; endpoints null; never expires',
      );
      const [created] = (await audit.list({ limit: 10 })).filter(({ action }) => action === 'key.create');
      expect(created?.detail).toBe(
        'ci; role consumer; models ["claude-*"]; catalogs ["acme"]; tools {"deny":["*/delete_*"]}; ' +
          'endpoints ["messages"]; limits {"requestsPerMinute":60}; expires 2026-11-15T09:00:00.005Z',
      );
    });

    it('keep their role, their endpoints, when they end and when they were used last', async () => {
      const { keys } = await open(await place());
      const rights = { role: 'publisher', endpoints: ['messages'], expiresAt: START + 5 } as const;
      const { key } = await keys.create({ name: 'ci', ...permissions, ...rights });
      expect(key).toMatchObject(rights);
      expect(await keys.update(key.id, { role: 'admin', expiresAt: START + 9 })).toMatchObject({ role: 'admin' });
      clock.time += 1;
      await keys.touch(key.id);
      expect(await keys.get(key.id)).toEqual({ ...key, role: 'admin', expiresAt: START + 9, lastUsedAt: START + 1 });
      await keys.revoke(key.id);
      expect(await keys.update(key.id, { role: 'consumer' })).toBeUndefined();
      expect(await keys.rotate(key.id, 0)).toBeUndefined();
    });

    it('a revoked key stays known as such, for every replica', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      const { key, secret } = await one.keys.create({ name: 'a', ...permissions });
      clock.time += 5;
      await one.keys.create({ name: 'b', ...permissions });
      expect(await one.keys.revoke(key.id)).toBe(true);
      expect(await two.keys.revoke(key.id)).toBe(false);
      expect(await two.keys.revoke('key_none')).toBe(false);
      expect(await two.keys.find(secret)).toEqual({ ...key, revokedAt: START + 5 });
      expect((await two.keys.list()).map(({ name, revokedAt }) => ({ name, revokedAt }))).toEqual([
        { name: 'a', revokedAt: START + 5 },
        { name: 'b', revokedAt: undefined },
      ]);
    });
  });

  describe('tokens', () => {
    const owner = { user: 'ann', server: 'github' };
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

    it('are kept per user and server', async () => {
      const { tokens } = await open(await place(), { encryptionKeys: [newKey] });
      await tokens.put(owner, 'secret 1');
      await tokens.put(owner, 'secret 2 ü\0');
      await tokens.put({ ...owner, user: 'bob' }, 'of bob');
      expect(await tokens.get(owner)).toBe('secret 2 ü\0');
      expect(await tokens.get({ ...owner, user: 'bob' })).toBe('of bob');
      expect(await tokens.get({ ...owner, server: 'slack' })).toBeUndefined();
      expect(await tokens.get({ user: 'anngithub', server: '' })).toBeUndefined();
      await tokens.put({ ...owner, server: 'slack' }, 'of slack');
      await tokens.delete(owner);
      expect(await tokens.get(owner)).toBeUndefined();
      expect(await tokens.get({ ...owner, server: 'slack' })).toBe('of slack');
      expect(await tokens.deleteUser('ann')).toBe(1);
      expect(await tokens.get({ ...owner, user: 'bob' })).toBe('of bob');
    });

    it('are renewed by one process at a time, which releases its claim or loses it after the timeout', async () => {
      const location = await place();
      const stores = await Promise.all([1, 2, 3].map(() => open(location, { encryptionKeys: [newKey] })));
      const claims = await Promise.all(stores.map(({ tokens }) => tokens.claim(owner, 1_000)));
      const [release, ...others] = claims.filter((claim) => claim !== undefined);
      expect(others).toEqual([]);
      const [{ tokens }] = stores as [(typeof stores)[0], ...(typeof stores)[0][]];
      expect(await tokens.claim({ ...owner, server: 'slack' }, 1_000)).toBeTypeOf('function');
      await release?.();
      const late = await tokens.claim(owner, 1_000);
      clock.time += 999;
      expect(await tokens.claim(owner, 1_000)).toBeUndefined();
      clock.time += 1;
      expect(await tokens.claim(owner, 1_000)).toBeTypeOf('function');
      // Its claim is over: it can't end the next one.
      await late?.();
      expect(await tokens.claim(owner, 1_000)).toBeUndefined();
    });

    it('are decrypted with any listed key, and encrypted with the first', async () => {
      const location = await place();
      const before = await open(location, { encryptionKeys: [oldKey] });
      await before.tokens.put(owner, 'kept');
      const after = await open(location, { encryptionKeys: [newKey, oldKey] });
      expect(await after.tokens.get(owner)).toBe('kept');
      await after.tokens.put(owner, 'again');
      await expect(before.tokens.get(owner)).rejects.toMatchObject({ code: 'undecipherable' });
    });

    it('are refused without a key', async () => {
      const location = await place();
      const store = await open(location);
      await expect(store.tokens.put(owner, 'x')).rejects.toThrow('set store.encryptionKey');
      await (await open(location, { encryptionKeys: [newKey] })).tokens.put(owner, 'x');
      await expect(store.tokens.get(owner)).rejects.toThrow(StoreError);
    });
  });

  describe('opening', () => {
    it('replicas that start together on empty tables all succeed', async () => {
      const location = await place();
      const replicas = await Promise.all(Array.from({ length: 6 }, () => open(location)));
      await Promise.all(replicas.map((store) => store.ping()));
      const { key, secret } = await (await open(location)).keys.create({
        name: 'a',
        models: [],
        catalogs: [],
        limits: {},
      });
      expect(await replicas[5]?.keys.find(secret)).toEqual(key);
    });

    it('ids and times come from what is passed in', async () => {
      let count = 0;
      const createId = (prefix: string) => {
        count += 1;
        return `${prefix}${count}`;
      };
      const store = await open(await place(), { now: () => 5, createId });
      const { id, createdAt } = await store.batches.create({ owner: '', items: [{ customId: 'a', params: '{}' }] });
      expect({ id, createdAt }).toEqual({ id: 'msgbatch_1', createdAt: 5 });
    });

    it('follows the real time by itself', async () => {
      const store = await openStore(await place());
      const before = Date.now();
      const { createdAt } = await store.batches.create({ owner: '', items: [{ customId: 'a', params: '{}' }] });
      await store.close();
      expect(Math.abs(createdAt - before)).toBeLessThan(60_000);
    });

    it('a closed store fails, and closing again does nothing', async () => {
      const store = await open(await place());
      await store.close();
      await expect(store.ping()).rejects.toThrow();
    });
  });
}
