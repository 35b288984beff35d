import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_TERM } from './term-table.ts';
import { PackedWords } from './token-store.ts';

/** Words of up to 12 letters as the tokenizer packs them: only the first number of a short one is above 0. */
const anyWord = fc.tuple(fc.integer({ min: 1, max: 0x3fffffff }), fc.integer({ min: 0, max: 0x3fffffff }));

describe('PackedWords', () => {
  it('finds the terms of words that were added, and no others', () => {
    const anyWords = fc.uniqueArray(anyWord, { maxLength: 200, selector: ([first, second]) => `${first} ${second}` });
    fc.assert(
      fc.property(anyWords, ([other, ...words]) => {
        const packed = new PackedWords();
        for (const [term, [first, second]] of words.entries()) {
          packed.add(first, second, term);
        }
        expect(words.map(([first, second]) => packed.find(first, second))).toEqual([...words.keys()]);
        expect(other === undefined ? NO_TERM : packed.find(other[0], other[1])).toBe(NO_TERM);
      }),
    );
  });

  it('holds more and more words, up to a bound from which on they are left out', () => {
    const packed = new PackedWords();
    const count = 100_000;
    for (let term = 0; term < count; term += 1) {
      packed.add(term + 1, 0, term);
    }
    let found = 0;
    for (let term = 0; term < count; term += 1) {
      const given = packed.find(term + 1, 0);
      expect(given === term || given === NO_TERM).toBe(true);
      found += given === term ? 1 : 0;
    }
    expect(found).toBeGreaterThan(60_000);
    expect(found).toBeLessThanOrEqual(65_536);
  });
});
