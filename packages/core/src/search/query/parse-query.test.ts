import { describe, expect, it } from 'vitest';
import { parseQuery, removeOperators, unresolvedOperators } from './parse-query.ts';

describe('parseQuery', () => {
  it.each([
    ['select:A,B', ['A', 'B']],
    ['  SELECT: get_me , list-all,, ', ['get_me', 'list-all']],
    ['please select:A', []],
    ['select:', []],
    ['plain words', []],
  ])('reads the selection of %j', (query, names) => {
    expect(parseQuery(query).select).toEqual(names);
  });

  it.each([
    ['+mail inbox', [['required', 'mail']]],
    [
      'find +urgent mail server:github',
      [
        ['required', 'urgent'],
        ['server', 'github'],
      ],
    ],
    ['server:"Google Maps" route', [['server', 'Google Maps']]],
    ['2+2 and c++', []],
    ['myserver:x', []],
    ['server: x', []],
  ])('reads the operators of %j', (query, operators) => {
    expect(parseQuery(query).operators.map(({ kind, value }) => [kind, value])).toEqual(operators);
  });

  it('takes servers out of the text and leaves required words in', () => {
    const { text, operators } = parseQuery('find +urgent mail server:github today');
    expect(removeOperators(text, operators)).toBe('find urgent mail  today');
    expect(removeOperators(text, [])).toBe(text);
  });

  it.each([
    ['find +urgent mail server:"no such"', ['server:"no such"']],
    ['server:a +b', ['server:a']],
    [' select:a, b ', ['select:a, b']],
    ['select:a server:b', ['select:a server:b']],
    ['select:a +b', ['select:a b']],
    ['plain words', []],
  ])('names the operators of %j that do not apply, as they are written', (query, unresolved) => {
    const parsed = parseQuery(query);
    const applied = parsed.operators.filter(({ kind }) => kind === 'required');
    expect(unresolvedOperators(parsed, applied)).toEqual(unresolved);
  });

  it('reads so many operators, and what follows as words', () => {
    const { operators, text } = parseQuery('+mail '.repeat(100));
    expect(operators).toHaveLength(32);
    expect(text).toHaveLength(600);
  });
});
