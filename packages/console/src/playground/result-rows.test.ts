import type { SearchAnswer } from '@quartermaster/client';
import { describe, expect, it } from 'vitest';
import { resultRows } from './result-rows.ts';

function ranked(tool: string, score: number) {
  return { tool, name: tool, description: '', score };
}

const ANSWER: SearchAnswer = {
  type: 'search_result',
  engine: 'hybrid',
  took_ms: 1,
  catalog: {},
  results: [
    {
      query: 'q',
      verdict: 'match',
      hits: ['a', 'b', 'c'].map((tool) => ({ ...ranked(tool, 1), model_name: tool, tokens: 1 })),
    },
  ],
  compared: { bm25: ['c', 'b', 'z', 'a'].map((tool) => ranked(tool, 1)) },
};

describe('the rows of results', () => {
  it('are the hits, then the nearest misses and what another engine ranks first', () => {
    const answer = { ...ANSWER, compared: { bm25: ['z', 'a'].map((tool) => ranked(tool, 1)) } };
    const { found, below } = resultRows(answer, 2);
    expect(found.map(({ tool }) => tool)).toEqual(['a', 'b']);
    expect(below.map(({ tool, rank }) => [tool, rank])).toEqual([
      ['c', 3],
      ['z', undefined],
    ]);
    expect(found[0]?.others.get('bm25')?.rank).toBe(2);
  });

  it('are sorted by another engine within what the model gets, and within the rest', () => {
    const { found, below } = resultRows(ANSWER, 2, 'bm25');
    expect([...found, ...below].map(({ tool }) => tool)).toEqual(['b', 'a', 'c']);
  });
});
