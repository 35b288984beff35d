import { describe, expect, it } from 'vitest';
import { charactersLoweringInto, isCased, lowerCase, lowerRanges } from './case-folding.ts';
import { characterSet, hasCharacter } from './character-set.ts';

const point = (character: string): number => character.codePointAt(0) ?? 0;

describe('lower case', () => {
  it.each([
    ['A', 'a'],
    ['z', 'z'],
    ['É', 'é'],
    ['Σ', 'σ'],
    ['ẞ', 'ß'],
    ['İ', 'i'],
    ['\u212a', 'k'],
    ['𐐀', '𐐨'],
    ['ſ', 'ſ'],
  ])('of %s is %s', (upper, lower) => {
    expect(lowerCase(point(upper), 'unicode')).toBe(point(lower));
  });

  it('changes only ASCII letters under the ASCII flag, and nothing without IGNORECASE', () => {
    expect(lowerCase(point('É'), 'ascii')).toBe(point('É'));
    expect(lowerCase(point('Q'), 'ascii')).toBe(point('q'));
    expect(lowerCase(point('Q'), 'none')).toBe(point('Q'));
  });

  it('is the first character of the runtime’s own, for what Unicode 14 has', () => {
    for (let code = 0; code < 0x2000; code++) {
      const lower = lowerCase(code, 'unicode');
      if (lower !== code) expect(lower).toBe(String.fromCodePoint(code).toLowerCase().codePointAt(0));
    }
  });
});

describe('sets under IGNORECASE', () => {
  it('a character counts as cased when either case differs', () => {
    expect(['a', 'A', 'ß', 'ſ', '1', '_', 'ª'].map((each) => isCased(point(each), 'unicode'))).toEqual([
      ...[true, true, true, true, false, false, false],
    ]);
    expect(isCased(point('é'), 'ascii')).toBe(false);
  });

  it('a lowered range has every lower case, and what shares an upper case with it', () => {
    const set = characterSet(lowerRanges(point('R'), point('T'), 'unicode'));
    expect([...'rstſ'].every((each) => hasCharacter(set, point(each)))).toBe(true);
    expect([...'RSTqu'].some((each) => hasCharacter(set, point(each)))).toBe(false);
  });

  it('what lowers into a set includes the capitals and excludes what lowers out of it', () => {
    const set = charactersLoweringInto(characterSet([point('A'), point('c')]), 'unicode');
    expect([...'abcABC^'].every((each) => hasCharacter(set, point(each)))).toBe(true);
    expect([...'dDX'].some((each) => hasCharacter(set, point(each)))).toBe(false);
  });
});
