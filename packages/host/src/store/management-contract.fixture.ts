import { describe, expect, it } from 'vitest';
import { hostileNames } from './records-contract.fixture.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';

export function describeManagement({ place, open, clock }: StoreHarness): void {
  describe('policies that were set at run time', () => {
    it('are kept for servers and tools of any name until they are removed, and every change is logged', async () => {
      const location = await place();
      const { policies, audit } = await open(location);
      await policies.change(hostileNames.map((name) => ({ kind: 'tool', name, policy: 'never' })));
      await policies.change([{ kind: 'server', name: 'mail', policy: 'always' }], 'key_1');
      await policies.change([{ kind: 'server', name: 'mail', policy: 'automatic' }], 'key_1');
      const listed = await (await open(location)).policies.list();
      expect(listed).toHaveLength(hostileNames.length + 1);
      expect(listed).toContainEqual({ kind: 'server', name: 'mail', policy: 'automatic' });
      await policies.change([{ kind: 'server', name: 'mail' }], 'key_1');
      expect((await policies.list()).map(({ name }) => name).sort()).toEqual([...hostileNames].sort());
      const noted = (await audit.list({ limit: 100 })).filter(({ subject }) => subject === 'server mail');
      expect(noted.map(({ actor, action, detail }) => [actor, action, detail])).toEqual(
        expect.arrayContaining([
          ['key_1', 'policy.change', 'always'],
          ['key_1', 'policy.change', 'as in the settings'],
        ]),
      );
    });

    it('are changed together or not at all', async () => {
      const { policies } = await open(await place());
      const changes = [
        { kind: 'tool', name: 'mail/send', policy: 'never' },
        { kind: 'tool', name: '', policy: 'never' },
      ] as const;
      await expect(policies.change(changes)).rejects.toThrow('The id of a tool is empty');
      expect(await policies.list()).toEqual([]);
    });
  });

  describe('versions of a catalog', () => {
    it('increase with its content, name their author, and end with it', async () => {
      const { catalogs } = await open(await place());
      const put = (hash: string, id: string) =>
        catalogs.put({ name: 'acme', hash, tools: '[]', toolCount: 0 }, { id, mayChangeAny: true });
      await put('h1', 'key_1');
      clock.time += 5;
      await put('h1', 'key_2');
      await put('h2', 'key_2');
      expect((await catalogs.head('acme'))?.version).toBe(2);
      expect(await catalogs.versions('acme')).toEqual([
        { version: 2, hash: 'h2', toolCount: 0, at: START + 5, by: 'key_2' },
        { version: 1, hash: 'h1', toolCount: 0, at: START, by: 'key_1' },
      ]);
      await catalogs.delete('acme');
      expect(await catalogs.versions('acme')).toEqual([]);
      await put('h3', 'key_1');
      expect((await catalogs.head('acme'))?.version).toBe(1);
    });
  });

  describe('keys', () => {
    it('get new limits, and the log says who changed them', async () => {
      const { keys, audit } = await open(await place());
      const { key } = await keys.create({ name: 'app', models: ['*'], catalogs: ['*'], limits: {} }, 'key_admin');
      await keys.update(key.id, { limits: { requestsPerMinute: 5 } }, 'key_admin');
      expect((await keys.get(key.id))?.limits).toEqual({ requestsPerMinute: 5 });
      await keys.revoke(key.id, 'key_admin');
      const actors = (await audit.list({ limit: 10 })).map(({ actor }) => actor);
      expect(actors).toEqual(['key_admin', 'key_admin', 'key_admin']);
    });
  });
}
