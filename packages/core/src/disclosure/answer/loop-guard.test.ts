import { describe, expect, it } from 'vitest';
import { defined } from '../../catalog/internal.ts';
import {
  EMPTY_MEMORY,
  type Fact,
  forgetSearches,
  type GuardLimits,
  guardSearch,
  type Memory,
  remember,
} from '../memory.ts';

type Past = Partial<Extract<Fact, { kind: 'searched' }>> & { readonly query: string };

function memoryOf(...searches: readonly Past[]): Memory {
  return searches.reduce<Memory>(
    (memory, { query, ...rest }) => remember(memory, { kind: 'searched', queries: [query], names: [], ...rest }),
    EMPTY_MEMORY,
  );
}

function misses(count: number): Memory {
  return memoryOf(...Array.from({ length: count }, (_, index) => ({ query: `miss ${index}` })));
}

function guard(before: Memory, query: string, limits: GuardLimits & { limit?: number } = {}): string {
  const { limit, ...bounds } = limits;
  const result = guardSearch(before, { queries: [query], ...defined({ limit }) }, bounds);
  return result.kind === 'fine' ? 'fine' : `${result.kind}: ${result.text}`;
}

describe('the loop guard', () => {
  it('does not count what it refused: the count stays that of the searches that ran', () => {
    expect(guard(misses(5), 'new')).toMatch(/^stop: The last 5 searches found nothing\./);
    expect(guard(misses(40), 'new')).toMatch(/^stop: The last 5 searches found nothing\./);
    const repeated = memoryOf(...Array.from({ length: 30 }, () => ({ query: 'issue' })));
    expect(guard(repeated, 'issue')).toMatch(/^stop: This search was made 3 times already\./);
    expect(guard(repeated, 'other')).toMatch(/^hint: The last 3 searches found nothing\./);
  });

  it('treats the same query with a larger limit as another search', () => {
    const before = memoryOf({ query: 'issue', names: ['a'], limit: 5 });
    expect(guard(before, 'issue', { limit: 5 })).toMatch(/^hint: You made this search before/);
    expect(guard(before, 'issue', { limit: 3 })).toMatch(/^hint: You made this search before/);
    expect(guard(before, 'issue', { limit: 20 })).toBe('fine');
  });

  it.each(['+issue', 'server:github issue', 'issue.*create', 'issue|create'])('does not take %s for issue', (query) => {
    expect(guard(memoryOf({ query: 'issue', names: ['a'] }), query)).toBe('fine');
  });

  it('only hints in mode hint, and threatens no end', () => {
    const repeated = memoryOf(...Array.from({ length: 50 }, () => ({ query: 'issue', names: ['a'] })));
    for (const [before, query] of [
      [misses(50), 'new'],
      [repeated, 'issue'],
      [repeated, 'new'],
    ] as const) {
      const text = guard(before, query, { mode: 'hint' });
      expect(text).toMatch(/^hint: /);
      expect(text).not.toMatch(/ends|Do not search/);
    }
  });

  it('refuses nothing but repeats in mode stop-repeats', () => {
    expect(guard(misses(50), 'new', { mode: 'stop-repeats' })).toMatch(/^hint: /);
    expect(guard(misses(50), 'miss 3', { mode: 'stop-repeats', repeatStop: 1 })).toMatch(/^stop: /);
  });

  it('says nothing in mode off', () => {
    expect(guard(misses(50), 'miss 3', { mode: 'off' })).toBe('fine');
  });

  it('knows nothing of searches that were forgotten', () => {
    const before = memoryOf(
      { query: 'issue', names: ['a'], atMs: 1_000 },
      { query: 'mail', names: ['b'], atMs: 2_000 },
      { query: 'undated' },
    );
    const after = forgetSearches(before, { beforeMs: 1_500, keep: 10 });
    expect(after.searches.map(({ query }) => query)).toEqual(['mail', 'undated']);
    expect(after.revealed).toEqual(['a', 'b']);
    expect(guard(after, 'issue')).toBe('fine');
    expect(forgetSearches(before, { beforeMs: 0, keep: 1 }).searches.map(({ query }) => query)).toEqual(['undated']);
    expect(forgetSearches(before, { beforeMs: 0, keep: 10 })).toBe(before);
  });
});
