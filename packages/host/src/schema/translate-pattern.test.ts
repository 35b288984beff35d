import { compilePattern } from '@quartermaster/core/regex';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';
import { translatePattern } from './translate-pattern.ts';

/** Texts that tell the two dialects apart. */
const TEXTS = [
  '',
  'a',
  'a\n',
  '\n',
  '\r',
  '\u2028',
  '\u0085',
  '\u00a0',
  '\ufeff',
  '\u001c',
  '1',
  '١',
  'é',
  '_',
  'ab12',
  '😀',
  'a b',
  '[',
  ']',
  '^',
  'a-b',
  '{,3}',
  '\u0000',
  '\x08',
  '/',
];

const PATTERNS = [
  '^a$',
  '.',
  '^.$',
  '\\s',
  '\\S',
  '^\\S+$',
  '[\\s]',
  '[\\S]',
  '[^\\s]',
  '^[\\w\\s]+$',
  '\\d',
  '\\D',
  '^\\w+$',
  '\\W',
  '\\bab',
  '\\B',
  '(?<letter>a)b',
  '(?:a|b)+',
  '(?=a)a',
  '(?<!a)b',
  '\\u{1f600}',
  '\\ud83d\\ude00',
  '\\u0061',
  '\\x61',
  '\\cJ',
  '\\0',
  '[\\b]',
  '[]',
  '[^]',
  '^[^]$',
  '[\\[]',
  '[\\]]',
  '[\\^a]',
  '\\/',
  'a{2}',
  'b{1,}',
  'b{0,2}1',
  '[a-z]+?\\d',
  '\\^',
  '[a\\-b]',
  '[&&a]',
  '[.$]',
];

const NOT_CHECKED = [
  '\\p{L}',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  '(?i)a',
  '(?P<x>a)',
  '(?>a)',
  'a++',
  '\\Aab\\Z',
  '\\ud83d',
  '\\00',
  'a{,3}',
  'a{',
  '\\',
  '[a',
  '(',
  '\\é',
  '[\\B]',
  '\\u{110000}',
  '(?<=a+)b',
  'a'.repeat(2001),
];

describe('translatePattern', () => {
  it.each(PATTERNS)('%s answers like ECMAScript', (pattern) => {
    const translated = compilePattern(translatePattern(pattern) ?? '', { flags: 'a', maxLength: 20_000 });
    const oracle = new RegExp(pattern, 'u');
    expect(TEXTS.filter((text) => translated.test(text))).toEqual(TEXTS.filter((text) => oracle.test(text)));
  });

  it('any combination of pieces matches like ECMAScript', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\S',
      '[^a\\s]',
      '[\\W_]',
      '(?:ab|1)',
      '\\u{1f600}',
    );
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}', '*?')).map((parts) => parts.join(''));
    const pattern = fc
      .tuple(
        fc.constantFrom('', '^', '\\b'),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '$', '\\B'),
      )
      .map(([start, middle, end]) => start + middle.join('') + end);
    const text = fc.array(fc.constantFrom('a', 'b', '1', ' ', '\n', '😀', 'é', '\ufeff', '_'), { maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (source, parts) => {
        const translated = compilePattern(translatePattern(source) ?? '', { flags: 'a', maxLength: 20_000 });
        expect(translated.test(parts.join(''))).toBe(new RegExp(source, 'u').test(parts.join('')));
      }),
      { numRuns: 300 },
    );
  });

  it.each(NOT_CHECKED)('%s is not checked', (pattern) => {
    const note = {
      reason: 'pattern-not-supported',
      detail: pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern,
    };
    expect(checkValue({ pattern }, 'zz')).toEqual({ kind: 'good', unchecked: [note] });
    expect(checkValue({ not: { pattern } }, 'zz')).toEqual({ kind: 'good', unchecked: [note] });
  });
});
