import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, diffWords } from './diff-lines.ts';

describe('diffWords', () => {
  it('marks what was put into a sentence', () => {
    expect(diffWords('Search tickets. Fast.', 'Search tickets. Call list_users first. Fast.')).toEqual({
      before: 'Search tickets. ',
      added: 'Call list_users first. ',
      after: 'Fast.',
    });
  });

  it('loses nothing of the new line', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (old, now) => {
        const { before, added, after } = diffWords(old, now);
        expect(before + added + after).toBe(now);
      }),
    );
  });
});

describe('diffLines', () => {
  it('gives back both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const side = (sign: string): string =>
          lines
            .filter((line) => line.sign === ' ' || line.sign === sign)
            .map((line) => line.text)
            .join('\n');
        expect([side('-'), side('+')]).toEqual([before, after]);
      }),
    );
  });
});
