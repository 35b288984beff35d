import { describe, expect, it } from 'vitest';
import { ByteCache, MemoryBudget } from './memory-budget.ts';

describe('a cache of bytes', () => {
  it('the least recently used value goes first', () => {
    const cache = new ByteCache<number>(new MemoryBudget(20));
    cache.set('a', 1, { bytes: 10 });
    cache.set('b', 2, { bytes: 10 });
    cache.get('a');
    cache.set('c', 3, { bytes: 10 });
    expect(cache.get('a')).toBe(1);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.values()).toEqual([1, 3]);
  });

  it('shares its room with other caches of the same budget', () => {
    const budget = new MemoryBudget(30);
    const [texts, indexes] = [new ByteCache<string>(budget), new ByteCache<string>(budget)];
    texts.set('a', 'text', { bytes: 10, owner: 'one' });
    indexes.set('a', 'index', { bytes: 25, owner: 'one' });
    expect(texts.get('a')).toBeUndefined();
    expect(indexes.get('a')).toBe('index');
    expect([texts.bytes, indexes.bytes, budget.bytes]).toEqual([0, 25, 25]);
  });

  it('a value that is put in the place of another is counted once', () => {
    const budget = new MemoryBudget(30);
    const cache = new ByteCache<number>(budget);
    cache.set('a', 1, { bytes: 20 });
    cache.set('a', 2, { bytes: 25 });
    expect([cache.get('a'), budget.bytes]).toEqual([2, 25]);
    cache.delete('a');
    expect([cache.get('a'), budget.bytes]).toEqual([undefined, 0]);
  });

  it('a size reported for a value that is no longer kept changes nothing', () => {
    const budget = new MemoryBudget(30);
    const cache = new ByteCache<{ readonly number: number }>(budget);
    const [first, second] = [{ number: 1 }, { number: 2 }];
    cache.set('a', first, { bytes: 20 });
    cache.set('a', second, { bytes: 10 });
    cache.resize('a', first, 30);
    expect(budget.bytes).toBe(10);
    cache.resize('a', second, 12);
    expect(budget.bytes).toBe(12);
  });

  it('what is larger than the whole budget costs the others nothing', () => {
    const cache = new ByteCache<number>(new MemoryBudget(10));
    cache.set('a', 1, { bytes: 10 });
    cache.set('b', 2, { bytes: 11 });
    expect(cache.values()).toEqual([1]);
  });
});
