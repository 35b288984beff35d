import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestMemory, type MemoryShare, parsedBytes } from './read-bytes.ts';

const fits = (share: MemoryShare, bytes: number): boolean => {
  try {
    share.take(bytes);
    return true;
  } catch (error) {
    expect([413, 503]).toContain((error as { readonly status: number }).status);
    return false;
  }
};

describe('the memory of requests in progress', () => {
  it('gives one key half, and leaves room for others', () => {
    const memory = createRequestMemory(1_000);
    const [first, second, third] = [memory.open('a'), memory.open('a'), memory.open('b')];
    expect(fits(first, 300)).toBe(true);
    expect(fits(second, 200)).toBe(true);
    expect(fits(second, 1)).toBe(false);
    expect(fits(third, 250)).toBe(true);
    expect(fits(third, 1)).toBe(false);
    first.end();
    expect(memory.bytes).toBe(450);
    expect(fits(second, 100)).toBe(true);
  });

  it('is never more than its limit, and is all free again once every request is over', () => {
    const step = fc.record({ request: fc.nat(9), bytes: fc.nat(400), isEnd: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = createRequestMemory(1_000);
        const shares = Array.from({ length: 10 }, (_, at) => memory.open(`key ${at % 4}`));
        for (const { request, bytes, isEnd } of steps) {
          const share = shares[request] as MemoryShare;
          if (isEnd) share.end();
          else fits(share, bytes);
          expect(memory.bytes).toBeGreaterThanOrEqual(0);
          expect(memory.bytes).toBeLessThanOrEqual(1_000);
        }
        for (const share of shares) share.end();
        expect(memory.bytes).toBe(0);
      }),
    );
  });

  it('tells a request that it would never fit, however long it waited', () => {
    const share = createRequestMemory(1_000).open('a');
    share.take(500);
    expect(() => share.take(1)).toThrow(expect.objectContaining({ status: 413 }));
  });

  it('takes nothing for a request that is over', () => {
    const memory = createRequestMemory(1_000);
    const share = memory.open('a');
    share.end();
    share.take(2_000);
    expect(memory.bytes).toBe(0);
  });
});

describe('what a body takes once it is parsed', () => {
  it.each([
    ['text', JSON.stringify({ text: 'A few words of a longer text, with a comma. '.repeat(20_000) }), 0, 2],
    ['empty objects', `[${'{},'.repeat(300_000)}{}]`, 10, 40],
    ['the same after a long text', `["${'x'.repeat(900_000)}",${'{},'.repeat(300_000)}{}]`, 5, 20],
    ['a few bytes', '{}', 0, 60],
  ])('is estimated for %s', (_, text, least, most) => {
    const body = Buffer.from(text);
    const times = parsedBytes(body) / body.length;
    expect(times).toBeGreaterThanOrEqual(least);
    expect(times).toBeLessThanOrEqual(most);
  });
});
