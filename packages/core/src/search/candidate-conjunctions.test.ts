import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseConjunctions, type WeighedWord } from './candidates.ts';

function word(name: string, count: number, nameCount: number, value: number): WeighedWord {
  return { anywhere: `s${name}`, inName: `n${name}`, count, nameCount, value };
}

describe('the conjunctions of a query', () => {
  it('are all words, each alone, if the catalog is small enough', () => {
    const words = [word('mail', 40, 10, 3), word('send', 60, 20, 2)];
    expect(chooseConjunctions(words, { toolCount: 100, budget: 200 })).toEqual([['smail'], ['ssend']]);
  });

  it('ask for common words together, and for a rare one alone', () => {
    const words = [word('list', 300_000, 90_000, 1), word('file', 200_000, 20_000, 1.5), word('lidar', 30, 5, 10)];
    const chosen = chooseConjunctions(words, { toolCount: 1_000_000, budget: 800 });
    expect(chosen).toContainEqual(['slidar']);
    expect(chosen.every((terms) => terms.includes('slidar') || terms.length > 1)).toBe(true);
  });

  it('ask for names only if one word is in too many tools', () => {
    const chosen = chooseConjunctions([word('record', 400_000, 900, 1)], { toolCount: 1_000_000, budget: 800 });
    expect(chosen).toEqual([['nrecord']]);
  });

  it('continue with what some tool has if no tool is likely to have more', () => {
    const words = [word('quark', 14, 0, 1.2), word('gluon', 72, 0, 0.5)];
    expect(chooseConjunctions(words, { toolCount: 1_000, budget: 1 })).toEqual([['squark']]);
  });

  it('of a long request also ask for words that are not among its rarest', () => {
    const noise = ['friends', 'celebrate', 'launch', 'gathered', 'title'].map((name) => word(name, 12, 0, 6));
    const words = [...noise, word('send', 300, 120, 3), word('email', 250, 90, 3)];
    const chosen = chooseConjunctions(words, { toolCount: 4_000, budget: 800 });
    expect(chosen).toContainEqual(['semail']);
    expect(chosen).toContainEqual(['ssend']);
  });

  it('of a long request leave out common words that would bring in too many tools', () => {
    const noise = ['friends', 'celebrate', 'launch', 'gathered', 'title'].map((name) => word(name, 12, 0, 6));
    const chosen = chooseConjunctions([...noise, word('list', 900_000, 300_000, 0.1)], {
      toolCount: 1_000_000,
      budget: 800,
    });
    expect(chosen.flat()).not.toContain('nlist');
  });

  it('are none without a known word', () => {
    expect(chooseConjunctions([word('zzz', 0, 0, 12)], { toolCount: 10, budget: 5 })).toEqual([]);
  });

  const words = fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 1_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      value: fc.double({ min: 0.1, max: 9, noNaN: true }),
    }),
    { minLength: 1, maxLength: 7 },
  );

  it('always let the best combination through, and no conjunction says the same as another', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 2_000 }), (given, budget) => {
        const weighed = given.map(({ count, share, value }, at) =>
          word(`${at}`, count, Math.floor(count * share), value),
        );
        const chosen = chooseConjunctions(weighed, { toolCount: 1_000, budget });
        expect(chosen.length).toBeGreaterThan(0);
        // A tool that has every word in its name has all that any conjunction asks for.
        const everything = new Set(weighed.flatMap(({ anywhere, inName }) => [anywhere, inName]));
        expect(chosen.every((terms) => terms.every((term) => everything.has(term)))).toBe(true);
        const sets = chosen.map((terms) => new Set(terms));
        for (const [at, terms] of sets.entries()) {
          for (const [other, others] of sets.entries()) {
            if (at !== other) expect([...terms].every((term) => others.has(term))).toBe(false);
          }
        }
      }),
    );
  });
});
