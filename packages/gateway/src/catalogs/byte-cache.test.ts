import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCache } from './byte-cache.ts';

describe('a cache of bytes', () => {
  it('the least recently used value goes first', () => {
    const cache = new ByteCache<number>(20);
    cache.set('a', 1, 10);
    cache.set('b', 2, 10);
    cache.get('a');
    cache.set('c', 3, 10);
    expect(cache.get('a')).toBe(1);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.values()).toEqual([1, 3]);
  });

  it('never holds more than it may, and counts what it holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 60 }))),
        (writes) => {
          const cache = new ByteCache<number>(100);
          for (const [key, bytes] of writes) {
            cache.set(key, bytes, bytes);
            expect(cache.bytes).toBeLessThanOrEqual(100);
            expect(cache.bytes).toBe(cache.values().reduce((sum, value) => sum + value, 0));
          }
        },
      ),
    );
  });

  it('what is larger than the whole cache costs the others nothing', () => {
    const cache = new ByteCache<number>(10);
    cache.set('a', 1, 10);
    cache.set('b', 2, 11);
    expect(cache.values()).toEqual([1]);
  });
});
