import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTurns } from './take-turns.ts';

const itself = (item: number): number => item;

describe('takeTurns', () => {
  it.each([
    [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      4,
      [1, 4, 2, 5],
    ],
    [
      [
        [1, 2, 3],
        [1, 2, 4],
      ],
      10,
      [1, 2, 3, 4],
    ],
    [[[], [7, 8]], 10, [7, 8]],
    [[[1], [1], [1]], 10, [1]],
    [[], 5, []],
  ])('serves %j up to %i as %j', (lists, limit, expected) => {
    expect(takeTurns(lists, limit, itself)).toEqual(expected);
  });

  it('takes everything once, and the first of the first list first', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30)), { maxLength: 5 }), (lists) => {
        const taken = takeTurns(lists, 1_000, itself);
        expect([...taken].sort()).toEqual([...new Set(lists.flat())].sort());
        expect(taken[0]).toBe(lists.find((list) => list.length > 0)?.[0]);
      }),
    );
  });
});
