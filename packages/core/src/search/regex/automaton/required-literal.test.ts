import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../slices.ts';
import { compilePattern } from '../compile-pattern.ts';
import { splitLookaheads } from '../decider.ts';
import { parsePattern } from '../parse/parse-pattern.ts';
import { resolvePattern } from '../parse/resolve-pattern.ts';
import { firstCharacters, foldedLiteral, mayContain, requiredLiteral } from './required-literal.ts';

const expressionOf = (pattern: string) => runToEnd(resolvePattern(parsePattern(pattern, '')));

describe('the string that every match contains', () => {
  it.each([
    ['weather', 'weather', true],
    ['(?:wea)(?P<x>ther)', 'weather', true],
    ['a{3}', 'aaa', true],
    ['get_.*_data', '_data', false],
    ['^get_user$', 'get_user', false],
    ['(ab)+c', 'abc', false],
    ['x(?:ab){2,}', 'xabab', false],
    ['a*bc', 'bc', false],
    ['ab|cd', '', false],
    ['ab|ac', 'a', false],
    ['(?i)abc', '', false],
    ['(?i)123', '123', true],
    ['a(?!bcd)', 'a', false],
    ['a(?=bcd)', 'bcd', false],
    ['(?>abc)d', 'abcd', false],
    ['', '', true],
    ['\\ud83d', '', false],
    ['😀', '😀', true],
  ])('%s: %j, whole %s', (pattern, text, isWhole) => {
    expect(requiredLiteral(expressionOf(pattern))).toEqual({ text, isWhole });
  });
});

describe('the string that every match contains in lower case', () => {
  it.each([
    ['(?i)lark', 'lark', []],
    ['(?i)Slack', 'slack', ['\u017f']],
    ['(?i)wiFI_5', 'wifi_5', ['\u0130', '\u0131']],
    ['(?i)caf\u00e9', 'caf', []],
    ['Get[Aa]b', 'getab', []],
    ['(?i)a[xy]bc', 'bc', []],
    ['[ab][^c]', '', []],
  ])('%s: %j, except with %j', (pattern, text, exceptions) => {
    const folded = foldedLiteral(expressionOf(pattern));
    expect({ ...folded, exceptions: folded.exceptions.toSorted() }).toEqual({ text, exceptions });
  });

  it.each([
    ['(?i)lark', 'xLARK', true],
    ['(?i)slack', '\u017fLACK', true],
    ['(?i)milk', 'm\u0130l\u212a', true],
    ['(?i)milk', 'silk', false],
    ['(?i)\u212am', 'KM', true],
  ])('%s in %s: %s', (pattern, subject, expected) => {
    expect(mayContain(foldedLiteral(expressionOf(pattern)), subject)).toBe(expected);
    expect(compilePattern(pattern).test(subject)).toBe(expected);
  });
});

describe('the characters with which a match starts', () => {
  it.each([
    ['abc', [97, 97]],
    ['a?b', [97, 98]],
    ['(?:a|b)c', [97, 98]],
    ['\\bx', [120, 120]],
    ['(a)?(?(1)b|c)', [97, 99]],
    ['a*', undefined],
    ['(?=(a))\\1b', undefined],
  ])('%s: %j', (pattern, ranges) => {
    expect(firstCharacters(expressionOf(pattern))?.ranges).toEqual(ranges);
  });
});

describe('splitting lookaheads', () => {
  it.each([
    ['^(?=a)(?!b)c', [true, false, true], 'text'],
    ['\\A(?=a)', [true], 'text'],
    ['(?=.*a)(?=.*b)', [true, true], 'line'],
    ['(?s)(?=.*a)(?=.*b).*c', [true, true, true], 'text'],
  ])('%s falls apart', (pattern, expected, start) => {
    const split = splitLookaheads(expressionOf(pattern));
    expect(split?.parts.map((part) => part.expected)).toEqual(expected);
    expect(split?.start).toBe(start);
  });

  it.each(['(?=a)b', '(?=.*a)b', '(?!.*a)', 'a(?=b)', '(?=.*+a)', 'abc'])('%s does not', (pattern) => {
    expect(splitLookaheads(expressionOf(pattern))).toBeUndefined();
  });
});
