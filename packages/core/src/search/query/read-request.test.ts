import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { createBm25Searcher } from '../bm25/index.ts';
import { createHybridSearcher } from '../hybrid/hybrid-searcher.ts';
import { toyEmbedder } from '../hybrid/toy-embedder.fixture.ts';
import { createRegexSearcher } from '../regex/index.ts';
import { checkRequest, QUERY_LIMITS, takeTurns } from './read-request.ts';

describe('the length of a query', () => {
  it('is counted in code points, up to the limit', () => {
    for (const character of ['x', '請', '😀', '\ud83d']) {
      expect(() => checkRequest({ query: character.repeat(QUERY_LIMITS.characters) })).not.toThrow();
      expect(() => checkRequest({ query: character.repeat(QUERY_LIMITS.characters + 1) })).toThrow(
        /4096.*maxQueryLength/,
      );
    }
  });

  it('is that of each of several queries, and can be raised', () => {
    const queries = ['short', 'x'.repeat(5_000)];
    expect(() => checkRequest({ query: queries })).toThrow(expect.objectContaining({ code: 'query_too_long' }));
    expect(() => checkRequest({ query: queries, maxQueryLength: 5_000 })).not.toThrow();
  });
});

const itself = (item: number): number => item;

describe('takeTurns', () => {
  it.each([
    [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      4,
      [1, 4, 2, 5],
    ],
    [
      [
        [1, 2, 3],
        [1, 2, 4],
      ],
      10,
      [1, 2, 3, 4],
    ],
    [[[], [7, 8]], 10, [7, 8]],
    [[[1], [1], [1]], 10, [1]],
    [[], 5, []],
  ])('serves %j up to %i as %j', (lists, limit, expected) => {
    expect(takeTurns(lists, limit, itself)).toEqual(expected);
  });

  it('takes everything once, and the first of the first list first', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30)), { maxLength: 5 }), (lists) => {
        const taken = takeTurns(lists, 1_000, itself);
        expect([...taken].sort()).toEqual([...new Set(lists.flat())].sort());
        expect(taken[0]).toBe(lists.find((list) => list.length > 0)?.[0]);
      }),
    );
  });
});

const SNAPSHOT = createSnapshot([createTool({ name: 'send_mail', description: 'Sends a letter' })]);
const QUERIES = Array.from({ length: 19 }, (_, at) => `mail ${at}`);

it.each([
  ['bm25', createBm25Searcher(SNAPSHOT)],
  ['hybrid', createHybridSearcher(SNAPSHOT, { embedder: toyEmbedder })],
  ['regex', createRegexSearcher(SNAPSHOT)],
])('%s says which queries beyond the first 16 it has not asked', async (_, searcher) => {
  expect((await searcher.search({ query: QUERIES })).unasked).toEqual(['mail 16', 'mail 17', 'mail 18']);
  expect(await searcher.search({ query: QUERIES.slice(0, 16) })).not.toHaveProperty('unasked');
  expect(await searcher.search({ query: 'mail' })).not.toHaveProperty('unasked');
});
