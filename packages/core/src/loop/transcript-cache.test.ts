import { describe, expect, it } from 'vitest';
import { describeTranscriptStore } from '../testing/index.ts';
import { createTranscriptCache, type Hidden } from './transcript.ts';

function entry(id: string, size = 10): Hidden {
  return { id, dialect: 'tiny', version: 1, calls: [], content: { text: 'x'.repeat(size) } };
}

describeTranscriptStore({ describe, it, expect }, () => {
  const cache = createTranscriptCache();
  return (owner) => cache.storeFor(owner);
});

describe('createTranscriptCache', () => {
  it('forgets an entry whole by any of its ids, and counts it no longer', async () => {
    const cache = createTranscriptCache();
    const store = cache.storeFor('a');
    await store.keep(['one', 'two'], entry('one'));
    await cache.storeFor('b').forget(['one']);
    expect((await store.find(['one', 'two'])).size).toBe(2);
    await store.forget(['two', 'none']);
    expect((await store.find(['one', 'two'])).size).toBe(0);
    expect(cache.bytes).toBe(0);
  });

  it('replaces what is kept again, and counts it no longer', async () => {
    const cache = createTranscriptCache();
    const store = cache.storeFor('a');
    await store.keep(['one'], entry('one', 100));
    const { bytes } = cache;
    for (let count = 0; count < 10; count += 1) await store.keep(['one'], entry('one', 100));
    expect(cache.bytes).toBe(bytes);
  });

  it('stays within its bound: what was used least recently goes first', async () => {
    const cache = createTranscriptCache({ maxBytes: 10_000 });
    const store = cache.storeFor('a');
    await store.keep(['kept'], entry('kept', 500));
    for (let count = 0; count < 50; count += 1) {
      await store.keep([`id_${count}`], entry(`id_${count}`, 500));
      expect((await store.find(['kept'])).size).toBe(1);
      expect(cache.bytes).toBeLessThanOrEqual(10_000);
    }
    expect((await store.find(['id_0', 'id_49'])).size).toBe(1);
  });

  it('takes room from the owner that has the most', async () => {
    const cache = createTranscriptCache({ maxBytes: 20_000 });
    await cache.storeFor('small').keep(['one'], entry('one', 100));
    for (let count = 0; count < 50; count += 1) await cache.storeFor('busy').keep([`${count}`], entry('many', 500));
    expect((await cache.storeFor('small').find(['one'])).size).toBe(1);
  });

  it('rejects an entry that is larger than its limit', async () => {
    const cache = createTranscriptCache({ maxBytes: 1_000 });
    const store = cache.storeFor('a');
    await store.keep(['small'], entry('small'));
    await store.keep(['large'], entry('large', 10_000));
    expect([...(await store.find(['small', 'large'])).keys()]).toEqual(['small']);
  });

  it('counts its entries in a memory that others share, and forgets what that lets go', async () => {
    const held = new Map<string, () => void>();
    const memory = {
      hold(owner: string, bytes: number, release: () => void) {
        if (bytes > 5_000) return undefined;
        held.set(owner, release);
        return { touch: () => undefined, resize: () => undefined, end: () => held.delete(owner) };
      },
    };
    const cache = createTranscriptCache({ memory });
    const store = cache.storeFor('a');
    await store.keep(['one'], entry('one'));
    expect([...held.keys()]).toEqual(['a']);
    held.get('a')?.();
    expect((await store.find(['one'])).size).toBe(0);
    expect([cache.bytes, held.size]).toEqual([0, 0]);
    await store.keep(['large'], entry('large', 10_000));
    expect((await store.find(['large'])).size).toBe(0);
    await store.keep(['two'], entry('two'));
    await store.forget(['two']);
    expect(held.size).toBe(0);
  });
});
