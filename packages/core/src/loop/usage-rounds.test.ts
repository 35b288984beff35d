import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remainingTokens, sumUsage } from './rounds.ts';

describe('the usage of several rounds', () => {
  it('adds numbers at every depth and keeps what only one of them has', () => {
    const left = { total_tokens: 3, details: { cached_tokens: 1, audio_tokens: 2 }, tier: 'a' };
    const right = { total_tokens: 4, details: { cached_tokens: 5 }, tier: 'b', cost: 7 };
    expect(sumUsage(left, right)).toEqual({
      total_tokens: 7,
      details: { cached_tokens: 6, audio_tokens: 2 },
      tier: 'b',
      cost: 7,
    });
  });

  it('is the other round when one has none, and nothing when none has', () => {
    expect(sumUsage(undefined, { a: 1 })).toEqual({ a: 1 });
    expect(sumUsage({ a: 1 }, undefined)).toEqual({ a: 1 });
    expect(sumUsage(undefined, undefined)).toBeUndefined();
    expect(sumUsage({ a: 1 }, { a: null })).toEqual({ a: 1 });
  });

  it('sums each count, hostile keys too', () => {
    const counts = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.nat(1000));
    fc.assert(
      fc.property(counts, counts, (left, right) => {
        const sum = sumUsage(left, right) ?? {};
        for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
          const of = (one: object): number => Object.getOwnPropertyDescriptor(one, key)?.value ?? 0;
          expect(of(sum)).toBe(of(left) + of(right));
        }
      }),
    );
  });
});

it.each<[string, readonly [unknown, unknown, number?], number | undefined]>([
  ['what earlier rounds left', [500, 120], 380],
  ['at least one where they left nothing', [500, 700], 1],
  ['at least what the host needs', [4000, 3000, 2001], 2001],
  ['never more than was asked for', [10, 5, 2001], 10],
  ['as it was where no round has told what it used', [500, undefined], undefined],
  ['as it was where there is no limit', [undefined, 100], undefined],
])('the limit of a round is %s', (_, [limit, used, least], expected) => {
  expect(remainingTokens(limit, used, least)).toBe(expected);
});
