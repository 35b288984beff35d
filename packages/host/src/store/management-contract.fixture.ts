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

    it('are not overwritten by a change that was made from an earlier one', async () => {
      const { catalogs } = await open(await place());
      const put = (hash: string, replaces?: number) =>
        catalogs.put({
          name: 'acme',
          hash,
          tools: '[]',
          toolCount: 0,
          ...(replaces === undefined ? {} : { replaces }),
        });
      await put('h1');
      expect(await put('h2', 1)).toBe('replaced');
      expect(await put('h3', 1)).toBe('outdated');
      expect((await catalogs.head('acme'))?.hash).toBe('h2');
      await catalogs.delete('acme');
      expect(await put('h3', 2)).toBe('outdated');
      expect(await catalogs.head('acme')).toBeUndefined();
    });
  });

  describe('labelled requests of a catalog', () => {
    it('end with it, and are not passed on to the next catalog of that name', async () => {
      const { catalogs, cases } = await open(await place());
      const put = () => catalogs.put({ name: 'acme', hash: 'h', tools: '[]', toolCount: 0 });
      const label = () => cases.put('acme', { query: 'rain', tools: ['weather'], by: 'key_1' });
      await put();
      await label();
      await catalogs.delete('acme');
      expect(await cases.list('acme')).toEqual([]);
      // As an earlier version left them behind.
      await label();
      await put();
      expect(await cases.list('acme')).toEqual([]);
    });
  });

  describe('owners of tasks', () => {
    it('are known to every replica, for names of any kind, until the tasks are old', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      for (const name of hostileNames) await one.taskOwners.put({ server: name, task: name }, 'key_1');
      for (const name of hostileNames) {
        expect(await two.taskOwners.isOwner({ server: name, task: name }, 'key_1')).toBe(true);
        expect(await two.taskOwners.isOwner({ server: name, task: name }, 'key_2')).toBe(false);
        expect(await two.taskOwners.list(name, 'key_1')).toEqual(new Set([name]));
      }
      expect(await two.taskOwners.list('mail', 'key_2')).toEqual(new Set());
      clock.time += 30 * 86_400_000;
      await one.sweep();
      expect(await two.taskOwners.list(hostileNames[0] ?? '', 'key_1')).toEqual(new Set());
    });
  });

  describe('the audit log', () => {
    const rights = { models: ['*'], catalogs: ['*'], limits: {} };

    it('names keys, and is read by who, what and when, page by page', async () => {
      const { keys, catalogs, cases, learnedUses, audit } = await open(await place());
      const { key } = await keys.create({ name: 'ops', ...rights }, 'configured:root');
      const put = (name: string) =>
        catalogs.put({ name, hash: name, tools: '[]', toolCount: 0 }, { id: key.id, mayChangeAny: false });
      clock.time += 1;
      await put('a');
      clock.time += 1;
      await put('b');
      await cases.put('b', { query: 'rain', tools: ['weather'], by: key.id });
      await cases.delete('b', 'rain', key.id);
      clock.time += 1;
      await learnedUses.add({ owner: key.id, catalog: 'b' }, [{ tool: 'weather', atMs: clock.time }]);
      await learnedUses.forget({ owner: key.id }, 'configured:root');
      await catalogs.setOwner('a', 'key_2');
      const actions = async (query: object) =>
        (await audit.list({ limit: 100, ...query })).map(({ action }) => action).sort();
      expect(await actions({ actor: 'ops' })).toEqual([
        ...['case.delete', 'case.put', 'catalog.create', 'catalog.create'],
      ]);
      expect(await actions({ actor: key.id, subject: 'a' })).toEqual(['catalog.create']);
      expect(await actions({ actor: 'root' })).toEqual(['key.create', 'learned.forget']);
      expect(await actions({ actor: '' })).toEqual(['catalog.owner']);
      expect(await actions({ subject: 'ops' })).toEqual(['key.create', 'learned.forget']);
      expect(await actions({ action: 'catalog' })).toEqual(['catalog.create', 'catalog.create', 'catalog.owner']);
      expect(await actions({ action: 'cat' })).toEqual([]);
      expect(await actions({ from: START + 1, until: START + 2 })).toEqual(['catalog.create']);
      const all = await audit.list({ limit: 100 });
      expect(all.at(-1)).toMatchObject({ actorName: 'root', subject: key.id, subjectName: 'ops' });
      expect(all.find(({ subject }) => subject === 'b')).toMatchObject({ actor: key.id, actorName: 'ops' });
      expect(all.find(({ action }) => action === 'case.put')?.detail).toBe('"rain": weather');
      const paged: unknown[] = [];
      for (let page = await audit.list({ limit: 3 }); page.length > 0; ) {
        paged.push(...page);
        page = await audit.list({ limit: 3, afterId: page.at(-1)?.id ?? '' });
      }
      expect(paged).toEqual(all);
      expect(await audit.list({ limit: 3, afterId: 'audit_none' })).toEqual([]);
      expect(await audit.list({ limit: 3, afterId: 'audit_\0\uD800' })).toEqual([]);
    });

    it('does not take a catalog for the key whose id it has as its name', async () => {
      const { keys, catalogs, audit } = await open(await place());
      const { key } = await keys.create({ name: 'ops', ...rights });
      await catalogs.put({ name: key.id, hash: 'h', tools: '[]', toolCount: 0 });
      const [entry] = await audit.list({ limit: 1, action: 'catalog.create' });
      expect(entry).toMatchObject({ subject: key.id });
      expect(entry?.subjectName).toBeUndefined();
    });

    it('is kept for as many days as the options say', async () => {
      const { keys, audit, sweep } = await open(await place(), { auditDays: 2 });
      await keys.create({ name: 'old', ...rights });
      clock.time += 2 * 86_400_000;
      await keys.create({ name: 'new', ...rights });
      await sweep();
      expect(await audit.list({ limit: 10 })).toHaveLength(2);
      clock.time += 1;
      await sweep();
      expect(await audit.list({ limit: 10 })).toMatchObject([{ subjectName: 'new' }]);
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
