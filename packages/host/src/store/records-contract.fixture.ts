import { describeVectorCache } from '@quartermaster/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredListing } from './listing-store.ts';
import { START, type StoreHarness } from './store-contract.fixture.ts';

/** Names that collide, vanish or do harm where they are not kept as they are. */
export const hostileNames: readonly string[] = [
  '__proto__',
  'constructor',
  "Robert'); DROP TABLE catalogs;--",
  'nul\0inside',
  'nul',
  '\ud800',
  '\ud801',
  '\ufffd',
  '\ue000d800',
  '工具',
  '😀',
  '%_?$1',
  ' ',
];

export function describeRecords({ place, open, clock }: StoreHarness): void {
  describe('catalogs', () => {
    it('are created, replaced, kept and deleted by name', async () => {
      const { catalogs } = await open(await place());
      const first = { name: 'acme', hash: 'h1', tools: '[{"name":"a"}]', toolCount: 1 };
      expect(await catalogs.put(first)).toBe('created');
      clock.time += 5;
      expect(await catalogs.put(first)).toBe('unchanged');
      expect(await catalogs.get('acme')).toEqual({ ...first, updatedAt: START, owner: '', version: 1 });
      expect(await catalogs.put({ ...first, hash: 'h2', tools: '[]', toolCount: 0 })).toBe('replaced');
      expect(await catalogs.head('acme')).toMatchObject({
        name: 'acme',
        hash: 'h2',
        toolCount: 0,
        updatedAt: START + 5,
      });
      expect((await catalogs.get('acme'))?.tools).toBe('[]');
      expect(await catalogs.delete('acme')).toBe('deleted');
      expect(await catalogs.delete('acme')).toBe('unknown');
      expect(await catalogs.get('acme')).toBeUndefined();
      expect(await catalogs.head('acme')).toBeUndefined();
    });

    it('belong to their creator: others can neither replace nor delete them, unless they may change any', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      const [ann, bob, admin] = [
        { id: 'key_ann', mayChangeAny: false },
        { id: 'key_bob', mayChangeAny: false },
        { id: 'key_admin', mayChangeAny: true },
      ];
      const catalog = { name: 'acme', hash: 'h1', tools: '[]', toolCount: 0 };
      const outcomes = await Promise.all([
        one.catalogs.put(catalog, ann),
        two.catalogs.put({ ...catalog, hash: 'b' }, bob),
      ]);
      expect([...outcomes].sort()).toEqual(['created', 'denied']);
      const [owner, other] = outcomes[0] === 'created' ? [ann, bob] : [bob, ann];
      expect(await one.catalogs.put({ ...catalog, hash: 'h2' }, other)).toBe('denied');
      expect(await two.catalogs.delete('acme', other)).toBe('denied');
      expect(await two.catalogs.put({ ...catalog, hash: 'h2' }, owner)).toBe('replaced');
      expect(await one.catalogs.put({ ...catalog, hash: 'h3' }, admin)).toBe('replaced');
      expect((await two.catalogs.head('acme'))?.owner).toBe(owner.id);
      expect(await one.catalogs.delete('acme', owner)).toBe('deleted');
      // Without an owner's id there is no owner: catalogs from before there were keys belong to admins.
      await one.catalogs.put(catalog);
      expect(await one.catalogs.put({ ...catalog, hash: 'h4' }, { id: '', mayChangeAny: false })).toBe('denied');
      expect(
        (await two.audit.list({ limit: 100 })).map(({ actor, action, subject }) => [actor, action, subject]),
      ).toContainEqual([owner.id, 'catalog.delete', 'acme']);
    });

    it('of any name are distinguished and listed in byte order', async () => {
      const { catalogs } = await open(await place());
      for (const name of hostileNames)
        await catalogs.put({ name, hash: 'h', tools: JSON.stringify(name), toolCount: 1 });
      const heads = await catalogs.list();
      expect(heads.map(({ name }) => name).sort()).toEqual([...hostileNames].sort());
      expect(heads.map(({ name }) => name).slice(0, 3)).toEqual([' ', '%_?$1', "Robert'); DROP TABLE catalogs;--"]);
      for (const name of hostileNames) expect((await catalogs.get(name))?.tools).toBe(JSON.stringify(name));
    });

    it.each([
      ['', 'is empty'],
      ['x'.repeat(513), 'has 513 characters'],
    ])('refuse a name that cannot be a key', async (name, problem) => {
      const { catalogs } = await open(await place());
      const put = catalogs.put({ name, hash: 'h', tools: '[]', toolCount: 0 });
      await expect(put).rejects.toThrow(`The name of a catalog ${problem}; allowed are 1 to 512 characters`);
    });

    it('can hold megabytes of tools', async () => {
      const { catalogs } = await open(await place());
      const tools = JSON.stringify(Array.from({ length: 30 }, (_, index) => `${index}${'ü'.repeat(100_000)}`));
      await catalogs.put({ name: 'big', hash: 'h', tools, toolCount: 100 });
      expect((await catalogs.get('big'))?.tools === tools).toBe(true);
      expect(await catalogs.put({ name: 'big', hash: 'h', tools, toolCount: 100 })).toBe('unchanged');
      const other = JSON.stringify(['🦊'.repeat(300_000)]);
      expect(await catalogs.put({ name: 'big', hash: 'h2', tools: other, toolCount: 1 })).toBe('replaced');
      expect((await catalogs.get('big'))?.tools === other).toBe(true);
      const owner = { id: 'key_other', mayChangeAny: false };
      expect(await catalogs.put({ name: 'big', hash: 'h3', tools, toolCount: 1 }, owner)).toBe('denied');
      expect(await catalogs.put({ name: 'big', hash: 'h4', tools: '[]', toolCount: 0 })).toBe('replaced');
      expect((await catalogs.get('big'))?.tools).toBe('[]');
    });

    it('yield to other work while they are written and read, and one that is replaced meanwhile is read in its new state', async () => {
      const { catalogs } = await open(await place());
      const textOf = (letter: string): string => JSON.stringify([letter.repeat(1_500_000)]);
      let turns = 0;
      const countTurns = async (work: Promise<unknown>): Promise<number> => {
        let isOver = false;
        const over = work.finally(() => {
          isOver = true;
        });
        turns = 0;
        const count = (): void => {
          turns += 1;
          if (!isOver) setImmediate(count);
        };
        setImmediate(count);
        await over;
        return turns;
      };
      // Twelve parts, and a turn for others after each.
      const put = catalogs.put({ name: 'big', hash: 'a', tools: textOf('a'), toolCount: 1 });
      expect(await countTurns(put)).toBeGreaterThan(10);
      const get = catalogs.get('big');
      expect(await countTurns(get)).toBeGreaterThan(10);
      const [found] = await Promise.all([
        catalogs.get('big'),
        catalogs.put({ name: 'big', hash: 'b', tools: textOf('b'), toolCount: 1 }),
      ]);
      expect([textOf('a'), textOf('b')]).toContain(found?.tools);
    });
  });

  describe('indexes', () => {
    const index = (value: number, length = 300_000): Uint8Array => new Uint8Array(length).fill(value);

    it('are kept by key for all replicas, and the last one written stays', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      expect(await one.indexes.get('words.1')).toBeUndefined();
      await Promise.all([
        one.indexes.put('words.1', index(1), { maxBytes: 1_000_000 }),
        two.indexes.put('words.1', index(1), { maxBytes: 1_000_000 }),
      ]);
      expect(Buffer.from((await two.indexes.get('words.1')) ?? []).equals(index(1))).toBe(true);
      await two.indexes.put('words.1', index(2, 10), { maxBytes: 1_000_000 });
      expect([...((await one.indexes.get('words.1')) ?? [])]).toEqual([...index(2, 10)]);
    });

    it('stay within the size limit: the least recently used go', async () => {
      const { indexes } = await open(await place());
      const maxBytes = 700_000;
      await indexes.put('a', index(1), { maxBytes });
      clock.time += 3_600_000;
      await indexes.put('b', index(2), { maxBytes });
      clock.time += 3_600_000;
      expect(await indexes.get('a')).toHaveLength(300_000);
      clock.time += 1;
      await indexes.put('c', index(3), { maxBytes });
      expect(await indexes.get('b')).toBeUndefined();
      expect(await indexes.get('a')).toHaveLength(300_000);
      expect(await indexes.get('c')).toHaveLength(300_000);
      await indexes.put('d', index(4, 800_000), { maxBytes });
      expect(await indexes.get('d')).toBeUndefined();
      expect(await indexes.get('c')).toHaveLength(300_000);
    });
  });

  describe('rate limits', () => {
    const minute = { bucket: 'key_1/requests', limit: 10, windowMs: 60_000, cost: 1 };

    it('grant up to the limit, and say when to come back', async () => {
      const { rateLimits } = await open(await place());
      for (let remaining = 9; remaining >= 0; remaining -= 1) {
        expect(await rateLimits.take(minute)).toEqual({ kind: 'granted', remaining });
      }
      // All ten count until the next window has come, and then fade: the first place is free a tenth of a window later.
      expect(await rateLimits.take(minute)).toEqual({ kind: 'refused', retryAfterMs: 66_000 });
      expect((await rateLimits.take({ ...minute, bucket: 'key_2/requests' })).kind).toBe('granted');
      clock.time += 65_999;
      expect((await rateLimits.take(minute)).kind).toBe('refused');
      clock.time += 1;
      expect((await rateLimits.take(minute)).kind).toBe('granted');
      expect((await rateLimits.take(minute)).kind).toBe('refused');
    });

    it('count what is charged afterwards, and allow a check at no cost', async () => {
      const { rateLimits } = await open(await place());
      const look = { ...minute, bucket: 'key_1/tokens', limit: 1000, cost: 0 };
      expect(await rateLimits.take(look)).toEqual({ kind: 'granted', remaining: 1000 });
      await rateLimits.charge({ ...look, cost: 999 });
      expect(await rateLimits.take(look)).toEqual({ kind: 'granted', remaining: 1 });
      await rateLimits.charge({ ...look, cost: 5000 });
      expect((await rateLimits.take(look)).kind).toBe('refused');
    });

    it('grant nothing if the limit is 0, and refuse an invalid cost', async () => {
      const { rateLimits } = await open(await place());
      expect((await rateLimits.take({ ...minute, limit: 0 })).kind).toBe('refused');
      expect((await rateLimits.take({ ...minute, cost: 11 })).kind).toBe('refused');
      await expect(rateLimits.take({ ...minute, cost: 0.5 })).rejects.toThrow('whole numbers');
      await expect(rateLimits.charge({ ...minute, cost: -1 })).rejects.toThrow('whole numbers');
    });

    it('budgets count per period, for all replicas', async () => {
      const location = await place();
      const [one, two] = [await open(location), await open(location)];
      const day = { bucket: 'key_1/day', startedAt: START };
      await Promise.all([one, two].map(({ rateLimits }) => rateLimits.spend({ ...day, endsAt: START + 10, cost: 7 })));
      expect(await one.rateLimits.spent(day)).toBe(14);
      expect(await two.rateLimits.spent({ ...day, startedAt: START + 10 })).toBe(0);
      clock.time = START + 10;
      await one.rateLimits.sweep();
      expect(await two.rateLimits.spent(day)).toBe(0);
      await expect(one.rateLimits.spend({ ...day, endsAt: START + 10, cost: 0.5 })).rejects.toThrow('whole numbers');
    });

    it('are one limit for all replicas, however they race', async () => {
      const location = await place();
      const replicas = await Promise.all([open(location), open(location), open(location)]);
      const answers = await Promise.all(
        Array.from({ length: 45 }, (_, index) => replicas[index % 3]?.rateLimits.take(minute)),
      );
      expect(answers.filter((answer) => answer?.kind === 'granted')).toHaveLength(10);
    });

    it('a refused caller is served after the given wait, and not a millisecond earlier', async () => {
      const { rateLimits } = await open(await place());
      let bucket = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            limit: fc.integer({ min: 1, max: 50 }),
            windowMs: fc.integer({ min: 1, max: 100_000 }),
            uses: fc.array(fc.record({ after: fc.integer({ min: 0, max: 60_000 }), cost: fc.nat(60) }), {
              maxLength: 6,
            }),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          async ({ limit, windowMs, uses, share }) => {
            clock.time = START;
            bucket += 1;
            const base = { bucket: `b${bucket}`, limit, windowMs };
            for (const { after, cost } of uses) {
              clock.time += after;
              await rateLimits.charge({ ...base, cost });
            }
            const request = { ...base, cost: Math.ceil(share * limit) };
            const answer = await rateLimits.take({ ...request, cost: 0 });
            const first = await rateLimits.take(request);
            if (first.kind === 'granted') {
              expect(answer.kind).toBe('granted');
              return;
            }
            clock.time += first.retryAfterMs - 1;
            if (first.retryAfterMs > 1) expect((await rateLimits.take(request)).kind).toBe('refused');
            clock.time += 1;
            expect((await rateLimits.take(request)).kind).toBe('granted');
          },
        ),
        { numRuns: 40 },
      );
    });

    it('a sweep deletes only windows that no longer count', async () => {
      const { rateLimits, sweep } = await open(await place());
      await rateLimits.charge({ ...minute, cost: 10 });
      clock.time += 60_000;
      await sweep();
      expect((await rateLimits.take(minute)).kind).toBe('refused');
      clock.time += 60_000;
      await sweep();
      expect(await rateLimits.take(minute)).toEqual({ kind: 'granted', remaining: 9 });
    });
  });

  describe('usage', () => {
    it('adds up per owner and day', async () => {
      const { usage } = await open(await place());
      await usage.record({ owner: 'key_1', requests: 1, searches: 2, inputTokens: 1000, outputTokens: 10 });
      await usage.record({ owner: 'key_1', requests: 1, inputTokens: 5_000_000_000 });
      await usage.record({ owner: 'key_2', requests: 7 });
      clock.time += 24 * 3_600_000;
      await usage.record({ owner: 'key_1', requests: 1 });
      const range = { owner: 'key_1', from: '2026-11-01', to: '2026-11-30' };
      expect(await usage.days(range)).toEqual([
        { day: '2026-11-15', requests: 2, searches: 2, inputTokens: 5_000_001_000, outputTokens: 10 },
        { day: '2026-11-16', requests: 1, searches: 0, inputTokens: 0, outputTokens: 0 },
      ]);
      expect(await usage.days({ ...range, to: '2026-11-15' })).toHaveLength(1);
    });

    it('names the most used tools, of one owner or of all', async () => {
      const { usage } = await open(await place());
      const b = { tool: 'b', calls: 2 };
      await usage.record({
        owner: 'key_1',
        tools: [{ tool: 'a', calls: 1 }, b, { tool: 'x'.repeat(513), calls: 9 }, b],
      });
      await usage.record({ owner: 'key_2', tools: [{ tool: 'a', calls: 5 }] });
      expect(await usage.tools({ limit: 10 })).toEqual([
        { tool: 'a', calls: 6 },
        { tool: 'b', calls: 4 },
      ]);
      expect(await usage.tools({ owner: 'key_1', limit: 1 })).toEqual([{ tool: 'b', calls: 4 }]);
    });

    it('loses no count when replicas add at once, to tools of any name', async () => {
      const location = await place();
      const replicas = await Promise.all([open(location), open(location), open(location)]);
      const tools = hostileNames.map((tool) => ({ tool, calls: 1 }));
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          replicas[index % 3]?.usage.record({
            owner: 'k',
            requests: 1,
            tools: index % 2 === 0 ? tools : [...tools].reverse(),
          }),
        ),
      );
      const used = await replicas[0].usage.tools({ limit: 100 });
      expect(used.map(({ tool }) => tool).sort()).toEqual([...hostileNames].sort());
      expect(used.every(({ calls }) => calls === 30)).toBe(true);
      expect(await replicas[1].usage.days({ owner: 'k', from: '', to: '9' })).toMatchObject([{ requests: 30 }]);
    });
  });

  describe('listings', () => {
    const listing = (hash: string, name: string): StoredListing => ({
      hash,
      tools: [{ name, inputSchema: { type: 'object', properties: JSON.parse('{"__proto__":{}}') } }],
      capabilities: { tools: {} },
    });

    it('the latest is found by the server’s key, with everything in it', async () => {
      const { listings } = await open(await place());
      expect(await listings.get('github')).toBeUndefined();
      await listings.put('github', listing('h1', 'a'));
      expect(await listings.get('github')).toEqual(listing('h1', 'a'));
      const later = { ...listing('h2', 'nul\0 and \ud800'), instructions: 'Ask first.' };
      await listings.put('github', later);
      expect(await listings.get('github')).toEqual(later);
      await listings.delete('github');
      expect(await listings.get('github')).toBeUndefined();
    });

    it('shared tools are deleted with the last server', async () => {
      const { listings } = await open(await place());
      await Promise.all(['a', 'b', 'c'].map((server) => listings.put(server, listing('h', 'shared'))));
      await listings.delete('a');
      await listings.put('b', listing('other', 'own'));
      expect(await listings.get('c')).toEqual(listing('h', 'shared'));
      await listings.delete('c');
      // Had the old tools stayed behind, they would be found again under their hash.
      await listings.put('c', listing('h', 'new'));
      expect(await listings.get('c')).toEqual(listing('h', 'new'));
    });
  });

  describe('learned uses', () => {
    const anna = { owner: 'key_anna', catalog: 'acme' };

    it('are kept by owner and catalog, listed oldest first, summed up and forgotten', async () => {
      const { learnedUses } = await open(await place());
      const uses = [
        { tool: 'mail/send', atMs: START - 5, vector: Int8Array.of(1, -2, 127) },
        { tool: 'mail/read', atMs: START - 9 },
        { tool: 'x'.repeat(600), atMs: START },
      ];
      await learnedUses.add(anna, uses);
      await learnedUses.add({ owner: 'key_ben', catalog: 'acme' }, uses.slice(0, 1));
      await learnedUses.add({ owner: 'key_anna', catalog: '' }, [{ tool: 'nul\0inside', atMs: START }]);
      expect(await learnedUses.list(anna)).toEqual([uses[1], uses[0]]);
      expect(await learnedUses.summarise({ owner: 'key_anna' })).toEqual([
        { owner: 'key_anna', catalog: '', tool: 'nul\0inside', calls: 1, lastAtMs: START },
        { ...anna, tool: 'mail/read', calls: 1, lastAtMs: START - 9 },
        { ...anna, tool: 'mail/send', calls: 1, lastAtMs: START - 5 },
      ]);
      expect(await learnedUses.forget({ ...anna, tool: 'mail/send' })).toBe(1);
      expect(await learnedUses.list(anna)).toEqual([uses[1]]);
      expect(await learnedUses.forget({ owner: 'key_anna' })).toBe(2);
      expect(await learnedUses.summarise()).toMatchObject([{ owner: 'key_ben', tool: 'mail/send' }]);
      expect(await learnedUses.forget()).toBe(1);
    });

    it('are bounded, and deleted once they are too old to count', async () => {
      const store = await open(await place());
      const many = Array.from({ length: 4_100 }, (_, at) => ({ tool: `t${at}`, atMs: START - 5_000 + at }));
      await store.learnedUses.add(anna, many);
      const kept = await store.learnedUses.list(anna);
      expect(kept).toHaveLength(4_096);
      expect(kept[0]?.tool).toBe('t4');
      clock.time += 300 * 24 * 3_600_000;
      await store.sweep();
      expect(await store.learnedUses.list(anna)).toEqual([]);
    });
  });

  describe('pins', () => {
    it('are replaced as a whole, by server', async () => {
      const { pins } = await open(await place());
      const pin = (tool: string) => ({ tool, hash: `hash of ${tool}`, definition: { name: tool } });
      expect(await pins.get('github')).toEqual([]);
      for (const server of hostileNames) await pins.put(server, [pin('a'), pin(server)]);
      await pins.put('nul', [pin('b')]);
      expect(await pins.get('nul')).toEqual([pin('b')]);
      expect(await pins.get('nul\0inside')).toEqual([pin('a'), pin('nul\0inside')]);
      expect(await pins.get('\ud801')).toEqual([pin('a'), pin('\ud801')]);
    });
  });

  describe('vectors', () => {
    describeVectorCache({ describe, it, expect }, async () => (await open(await place())).vectors);

    it('come back byte for byte, by model and hash, and only those that are known', async () => {
      const { vectors } = await open(await place());
      const all = new Map(Array.from({ length: 450 }, (_, index) => [`h${index}`, Uint8Array.of(index & 255, 0, 255)]));
      await vectors.put('m1', all);
      await vectors.put('m1', new Map([['h1', Uint8Array.of(9)]]));
      await vectors.put('m2', new Map([['h0', new Uint8Array()]]));
      expect(await vectors.get('m1', ['none', ...all.keys()])).toEqual(all);
      expect(await vectors.get('m2', ['h0', 'h1'])).toEqual(new Map([['h0', new Uint8Array()]]));
      expect(await vectors.get('m1', [])).toEqual(new Map());
      expect(await vectors.deleteModel('m1')).toBe(450);
      expect(await vectors.get('m1', ['h1'])).toEqual(new Map());
    });
  });
}
