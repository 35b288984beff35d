import type { Hidden, TranscriptStore } from '../loop/index.ts';
import type { VectorCache } from '../search/index.ts';
import type { TestFramework } from './test-framework.ts';

/**
 * The contract of a transcript store. `create` returns a function that opens the store of one owner, all empty at first.
 *
 * @example
 * describeTranscriptStore({ describe, it, expect }, () => {
 *   const database = openEmptyDatabase();
 *   return (owner) => createMyStore(database, owner);
 * });
 */
export function describeTranscriptStore(
  { describe, it, expect }: TestFramework,
  create: () => Promise<(owner: string) => TranscriptStore> | ((owner: string) => TranscriptStore),
): void {
  describe('a store of transcripts', () => {
    it('returns an entry under each of its ids, with its keys in order', async () => {
      const store = (await create())('ann');
      await store.keep(['call_1', 'resp_1', 'text@ü'], entry('call_1'));
      const found = await store.find(['call_1', 'none', 'text@ü']);
      expect([...found.keys()].sort()).toEqual(['call_1', 'text@ü']);
      expect(JSON.stringify(found.get('text@ü'))).toBe(JSON.stringify(entry('call_1')));
    });

    it('shows no owner what another has kept', async () => {
      const storeFor = await create();
      await storeFor('ann').keep(['call_1'], entry('of ann'));
      await storeFor('bob').keep(['call_1'], entry('of bob'));
      expect((await storeFor('ann').find(['call_1'])).get('call_1')?.id).toBe('of ann');
      expect((await storeFor('bob').find(['call_1'])).get('call_1')?.id).toBe('of bob');
      expect((await storeFor('').find(['call_1'])).size).toBe(0);
    });

    it('an id that is kept again stands for the new entry; the other ids stay', async () => {
      const store = (await create())('ann');
      await store.keep(['a', 'b'], entry('old'));
      await store.keep(['b', 'c'], entry('new'));
      const found = await store.find(['a', 'b', 'c']);
      expect(['a', 'b', 'c'].map((id) => found.get(id)?.id)).toEqual(['old', 'new', 'new']);
    });

    it('forgets an entry whole by any of its ids, and only for its owner', async () => {
      const storeFor = await create();
      const store = storeFor('ann');
      await store.keep(['a', 'b'], entry('a'));
      await store.keep(['c'], entry('c'));
      await storeFor('bob').forget(['a', 'c']);
      expect((await store.find(['a', 'b', 'c'])).size).toBe(3);
      await store.forget(['b', 'none']);
      expect([...(await store.find(['a', 'b', 'c'])).keys()]).toEqual(['c']);
    });

    it('replaces an entry that is still there, for one of those who change it at the same time', async () => {
      const storeFor = await create();
      const store = storeFor('ann');
      await store.keep(['conv'], entry('conv'));
      const before = (await store.find(['conv'])).get('conv') ?? entry('none');
      const made = (by: number): Hidden => ({ ...before, content: { by } });
      const done = await Promise.all([1, 2, 3].map((by) => store.replace(before, made(by))));
      expect(done.filter(Boolean)).toHaveLength(1);
      const after = (await store.find(['conv'])).get('conv') ?? entry('none');
      expect(after.content).toEqual({ by: done.indexOf(true) + 1 });
      expect(await store.replace(before, made(4))).toBe(false);
      expect(await storeFor('bob').replace(after, made(5))).toBe(false);
      await store.forget(['conv']);
      expect(await store.replace(after, made(6))).toBe(false);
      expect((await store.find(['conv'])).size).toBe(0);
    });

    it('finds an entry among two thousand ids', async () => {
      const store = (await create())('ann');
      await store.keep(['call_1777'], entry('call_1777'));
      const ids = Array.from({ length: 2_000 }, (_, index) => `call_${index}`);
      expect([...(await store.find(ids)).keys()]).toEqual(['call_1777']);
    });
  });
}

/**
 * The contract of a vector cache. `create` returns an empty one.
 *
 * @example
 * describeVectorCache({ describe, it, expect }, () => createMyCache());
 */
export function describeVectorCache(
  { describe, it, expect }: TestFramework,
  create: () => VectorCache | Promise<VectorCache>,
): void {
  describe('a cache of vectors', () => {
    it('returns known values byte for byte, and omits the rest', async () => {
      const cache = await create();
      await cache.put(
        'model',
        new Map([
          ['h1', Uint8Array.of(1, 2, 3, 4)],
          ['h2', Uint8Array.of(0, 255)],
        ]),
      );
      const found = await cache.get('model', ['h1', 'none', 'h2']);
      expect([...found.keys()].sort()).toEqual(['h1', 'h2']);
      expect([...(found.get('h1') ?? [])]).toEqual([1, 2, 3, 4]);
      expect([...(found.get('h2') ?? [])]).toEqual([0, 255]);
      expect((await cache.get('model', [])).size).toBe(0);
    });

    it('keeps models apart', async () => {
      const cache = await create();
      await cache.put('one', new Map([['h1', Uint8Array.of(1)]]));
      await cache.put('two', new Map([['h1', Uint8Array.of(2)]]));
      expect([...((await cache.get('one', ['h1'])).get('h1') ?? [])]).toEqual([1]);
      expect([...((await cache.get('two', ['h1'])).get('h1') ?? [])]).toEqual([2]);
    });
  });
}

/** In an order that sorting would change: the bytes of a request depend on it. */
function entry(id: string): Hidden {
  return { id, dialect: 'openai-chat', version: 1, calls: ['call_z', 'call_a'], content: { zeta: 'text', alpha: 1 } };
}
