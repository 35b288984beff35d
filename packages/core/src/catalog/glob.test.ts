import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './policy.ts';

describe('compileGlob', () => {
  it.each([
    ['github/*', 'github/create_issue', true],
    ['github/*', 'gitlab/create_issue', false],
    ['*/delete_*', 'github/delete_repo', true],
    ['*/delete_*', 'delete_repo', false],
    ['mcp__slack__*', 'mcp__slack__', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['*ab*ab', 'ab', false],
    ['a.c', 'abc', false],
  ])('%s on %s: %s', (pattern, text, expected) => {
    expect(compileGlob(pattern).matches(text)).toBe(expected);
  });

  it('agrees with a regular expression on any pattern', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        const oracle = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
        expect(compileGlob(pattern).matches(text)).toBe(oracle.test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts what is not a star', () => {
    expect(compileGlob('*/delete_*').literalLength).toBe(8);
  });
});
