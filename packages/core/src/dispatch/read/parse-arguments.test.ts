import { expect, it } from 'vitest';
import { readQueries } from './unwrap-call.ts';

it.each([
  ['one query', { query: 'a' }, ['a']],
  ['several', { queries: ['a', 'b'] }, ['a', 'b']],
  ['both, each once', { query: 'a', queries: ['b', 'a'] }, ['a', 'b']],
  ['a pattern', { pattern: 'a.*' }, ['a.*']],
  ['both in spaces', { query: ' a ', queries: ['a'] }, ['a']],
  ['arguments as text', '{"query":"a"}', ['a']],
  ['a bare text, which a live search refuses', 'a', []],
  ['what is no text', { query: 3, queries: [null, ''] }, []],
  ['nothing', undefined, []],
  ['a key that is inherited', Object.create({ query: 'a' }), []],
])('reads %s', (_, input, queries) => {
  expect(readQueries(input)).toEqual(queries);
});
