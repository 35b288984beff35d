import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternError } from '../../errors.ts';
import { runToEnd } from '../../slices.ts';
import { naiveSpan } from './naive-matcher.fixture.ts';
import { parsePattern } from './parse/parse-pattern.ts';
import { resolvePattern } from './parse/resolve-pattern.ts';
import { compilePattern } from './standalone.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\n',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\A',
  '\\Z',
  '',
);
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,1}', '{2,}', '*?', '+?', '??', '{1,2}?');
const strictQuantifier = fc.constantFrom('*+', '++', '?+', '{1,2}+');
const opening = fc.constantFrom('(', '(?:', '(?m:', '(?s:');
const strictOpening = fc.constantFrom('(?>', '(?=', '(?!', '(?<=', '(?<!');

/** Patterns from a small grammar, `strict` ones with look-around, atomic groups and possessive quantifiers. */
function patterns(strict: boolean): fc.Arbitrary<string> {
  const openings = strict ? fc.oneof(opening, strictOpening) : opening;
  const quantifiers = strict ? fc.oneof(quantifier, strictQuantifier) : quantifier;
  return fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      fc.tuple(openings, tie('pattern')).map(([open, inner]) => `${open}${inner})`),
      fc.tuple(tie('pattern'), quantifiers).map(([inner, mark]) => `(?:${inner})${mark}`),
    ),
  })).pattern;
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', ' ', '😀'), maxLength: 8 });

/** Undefined where the pattern is one that Python refuses: a look-behind without a fixed width. */
function oracle(pattern: string, subject: string): readonly [number, number] | null | undefined {
  try {
    return naiveSpan(runToEnd(resolvePattern(parsePattern(pattern, ''))), subject);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

describe('against a naive matcher', () => {
  it.each([
    ['regular patterns', false],
    ['patterns with look-around, atomic groups and possessive quantifiers', true],
  ])('%s match at the same place', (_, strict) => {
    fc.assert(
      fc.property(patterns(strict), text, (pattern, subject) => {
        const expected = oracle(pattern, subject);
        if (expected === undefined) return;
        const outcome = compilePattern(pattern, { maxLength: 10_000 }).run(subject);
        if (outcome.kind === 'out-of-budget' || (outcome.kind === 'match' && !outcome.exact)) return;
        expect(outcome.kind === 'match' ? [outcome.start, outcome.end] : null).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('whatever is written as a pattern compiles or is an invalid pattern', () => {
    const piece = fc.constantFrom(
      ...'()[]{}*+?|^$.\\-,:=!<>#&~iLmsuxaPN0189 \n',
      '(?',
      '(?P<n>',
      '(?P=n)',
      '\\1',
      'é',
      '😀',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 10 }),
        (pieces, subject) => {
          try {
            compilePattern(pieces.join('')).run(subject);
          } catch (error) {
            expect(error).toBeInstanceOf(PatternError);
            expect((error as PatternError).code).toBe('invalid_pattern');
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
