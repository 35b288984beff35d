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
      expect((await keys.create({ name: 'laptop', ...permissions })).secret).not.toBe(secret);
    });

    it('keep which tools they may use, where that was decided tool by tool', async () => {
      const { keys } = await open(await place());
      const tools = { allow: ['github/*'], deny: ['*/delete_*'] };
      const { key, secret } = await keys.create({ name: 'reader', ...permissions, tools });
      expect(key.tools).toEqual(tools);
      expect((await keys.find(secret))?.tools).toEqual(tools);
      expect((await keys.list())[0]?.tools).toEqual(tools);
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

    it('open with an older key that is still listed, and are sealed with the first', async () => {
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
    it('replicas that start together on empty tables all come up', async () => {
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
