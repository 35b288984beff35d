import { describe, expect, it } from 'vitest';
import { checkQueries, QUERY_LIMITS } from './check-queries.ts';

describe('the length of a query', () => {
  it('is counted in code points, up to the limit', () => {
    for (const character of ['x', '請', '😀', '\ud83d']) {
      expect(() => checkQueries({ query: character.repeat(QUERY_LIMITS.characters) })).not.toThrow();
      expect(() => checkQueries({ query: character.repeat(QUERY_LIMITS.characters + 1) })).toThrow(
        /4096.*maxQueryLength/,
      );
    }
  });

  it('is that of each of several queries, and can be raised', () => {
    const queries = ['short', 'x'.repeat(5_000)];
    expect(() => checkQueries({ query: queries })).toThrow(expect.objectContaining({ code: 'query_too_long' }));
    expect(() => checkQueries({ query: queries, maxQueryLength: 5_000 })).not.toThrow();
  });
});
