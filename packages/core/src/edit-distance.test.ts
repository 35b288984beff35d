import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from './edit-distance.ts';

/** The textbook recursion over whole tables, with swaps. */
function naiveDistance(left: string, right: string): number {
  const table = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (__, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const cost = Math.min(at(row - 1, column - 1) + same, at(row - 1, column) + 1, at(row, column - 1) + 1);
      const isSwapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      table[row]?.splice(column, 1, isSwapped ? Math.min(cost, at(row - 2, column - 2) + 1) : cost);
    }
  }
  return at(left.length, right.length);
}

describe('editDistance', () => {
  it.each([
    ['same', 'same', 2, 0],
    ['recieve', 'receive', 2, 1],
    ['cat', 'cut', 2, 1],
    ['cat', 'cats', 2, 1],
    ['kitten', 'sitting', 2, Number.POSITIVE_INFINITY],
    ['kitten', 'sitting', 3, 3],
  ])('is right for %s and %s', (left, right, most, distance) => {
    expect(editDistance(left, right, most)).toBe(distance);
  });

  it('is the same both ways and at most the longer length', () => {
    const word = fc.stringMatching(/^[ab]{0,6}$/);
    fc.assert(
      fc.property(word, word, (left, right) => {
        const distance = editDistance(left, right, 10);
        expect(distance).toBe(editDistance(right, left, 10));
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
        expect(distance === 0).toBe(left === right);
      }),
    );
  });

  it('agrees with the textbook up to its limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat(8), (left, right, limit) => {
        const naive = naiveDistance(left, right);
        expect(editDistance(left, right, limit)).toBe(naive <= limit ? naive : Number.POSITIVE_INFINITY);
      }),
    );
  });
});
