import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../slices.ts';
import { characterClasses } from './character-classes.ts';
import {
  type CharacterSet,
  categorySet,
  characterSet,
  complement,
  hasCharacter,
  intersection,
  MAX_CODE_POINT,
  onlyCharacter,
  union,
} from './character-set.ts';

const code = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0xfff0, max: 0x10010 }),
  fc.constant(MAX_CODE_POINT),
);
const ranges = fc
  .array(fc.tuple(code, code), { maxLength: 6 })
  .map((pairs) => pairs.map(([a, b]) => [Math.min(a, b), Math.max(a, b)]));

function contains(pairs: readonly (readonly number[])[], each: number): boolean {
  return pairs.some(([low = 0, high = -1]) => low <= each && each <= high);
}

describe('character sets', () => {
  it('hold what their ranges hold, whatever their order and overlap', () => {
    fc.assert(
      fc.property(ranges, ranges, code, (one, two, each) => {
        const [first, second] = [characterSet(one.flat()), characterSet(two.flat())];
        const [inFirst, inSecond] = [contains(one, each), contains(two, each)];
        expect(hasCharacter(first, each)).toBe(inFirst);
        expect(hasCharacter(complement(first), each)).toBe(!inFirst);
        expect(hasCharacter(union([first, second]), each)).toBe(inFirst || inSecond);
        expect(hasCharacter(intersection(first, second), each)).toBe(inFirst && inSecond);
      }),
    );
  });

  it('classes never contain two characters that a set distinguishes', () => {
    fc.assert(
      fc.property(fc.array(ranges, { maxLength: 4 }), code, code, (lists, one, two) => {
        const sets = lists.map((pairs) => characterSet(pairs.flat()));
        const classes = runToEnd(characterClasses(sets));
        for (const [index, set] of sets.entries()) {
          expect(classes.isMember(index, classes.classOf(one))).toBe(hasCharacter(set, one));
        }
        const areAlike = sets.every((set) => hasCharacter(set, one) === hasCharacter(set, two));
        expect(classes.classOf(one) === classes.classOf(two)).toBe(areAlike);
      }),
    );
  });

  it('know their only member', () => {
    expect(onlyCharacter(characterSet([65, 65]))).toBe(65);
    expect(onlyCharacter(characterSet([65, 66]))).toBeUndefined();
    expect(onlyCharacter(characterSet([]))).toBeUndefined();
  });
});

describe('categories', () => {
  const size = ({ ranges: list }: CharacterSet): number =>
    list.reduce((sum, each, index) => sum + (index % 2 === 0 ? 1 - each : each), 0);

  it('have as many members as in CPython 3.11', () => {
    expect(size(categorySet('word', false))).toBe(133_548);
    expect(size(categorySet('digit', false))).toBe(660);
    expect(size(categorySet('space', false))).toBe(29);
    expect(size(categorySet('word', true))).toBe(63);
  });

  it('agree with the properties of this runtime if the Unicode versions match', () => {
    const word = categorySet('word', false);
    for (let each = 0; each < 0x3000; each++) {
      const isWord = /[\p{L}\p{N}_]/u.test(String.fromCodePoint(each));
      if (hasCharacter(word, each)) expect(isWord).toBe(true);
    }
  });
});
