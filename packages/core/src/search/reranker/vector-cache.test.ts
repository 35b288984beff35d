import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeVectorCache } from '../../testing/index.ts';
import { MemoryVectorCache } from './tool-vectors.ts';

describeVectorCache({ describe, it, expect }, () => new MemoryVectorCache());

describe('MemoryVectorCache', () => {
  it('keeps what was used last, as far as the bytes go', () => {
    const step = fc.record({
      isPut: fc.boolean(),
      key: fc.integer({ min: 0, max: 6 }),
      size: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 150 }), (steps, maxBytes) => {
        const cache = new MemoryVectorCache({ maxBytes });
        // The oracle: a list, last used last; an entry weighs its vector and its key of three characters.
        let list: { hash: string; size: number }[] = [];
        for (const { isPut, key, size } of steps) {
          const hash = String(key);
          const old = list.find((entry) => entry.hash === hash);
          if (isPut) {
            list = [...list.filter((entry) => entry !== old), { hash, size }];
            while (list.reduce((sum, entry) => sum + entry.size + 3, 0) > maxBytes) list.shift();
            cache.put('m', new Map([[hash, new Uint8Array(size)]]));
          } else {
            if (old !== undefined) list = [...list.filter((entry) => entry !== old), old];
            expect(cache.get('m', [hash]).get(hash)?.byteLength).toBe(old?.size);
          }
        }
      }),
    );
  });

  it('does not give the vector of one model for another', () => {
    const cache = new MemoryVectorCache();
    cache.put('a', new Map([['hash', Uint8Array.of(1)]]));
    expect(cache.get('b', ['hash']).size).toBe(0);
  });

  it('accepts any name of a model', () => {
    const cache = new MemoryVectorCache();
    cache.put('__proto__', new Map([['constructor', Uint8Array.of(1)]]));
    expect([...cache.get('__proto__', ['constructor', 'toString'])]).toEqual([['constructor', Uint8Array.of(1)]]);
  });

  it('counts its vectors in a memory that others share, and forgets them all when that has no room', () => {
    let bytes = 0;
    let letGo = (): void => undefined;
    const cache = new MemoryVectorCache({
      hold(size, release) {
        bytes = size;
        letGo = release;
        return {
          touch: () => undefined,
          resize(next) {
            bytes = next;
          },
        };
      },
    });
    cache.put('m', new Map([['a', new Uint8Array(10)]]));
    const first = bytes;
    cache.put('m', new Map([['b', new Uint8Array(10)]]));
    expect(bytes).toBe(2 * first);
    letGo();
    expect(cache.get('m', ['a', 'b']).size).toBe(0);
    cache.put('m', new Map([['c', new Uint8Array(10)]]));
    expect(bytes).toBe(first);
    expect(cache.get('m', ['c']).size).toBe(1);
  });
});
