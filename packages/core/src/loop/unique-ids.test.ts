import { expect, it } from 'vitest';
import { uniqueIds } from './rounds.ts';

it('keeps an id that is free, and counts on from one that is taken', () => {
  const unique = uniqueIds({ taken: ['call_0'], prefix: 'toolu_' });
  expect(['call_1', 'call_0', 'call_0'].map(unique)).toEqual(['call_1', 'call_0_2', 'call_0_3']);
});

it('adapts an id that the client would not accept', () => {
  const unique = uniqueIds({ taken: [], prefix: 'toolu_', pattern: /^[a-zA-Z0-9_-]+$/ });
  expect(['a.b:c', '', 'plain-1'].map(unique)).toEqual(['toolu_a_b_c', 'toolu_', 'plain-1']);
});

it('gives the same ids for the same history and stream', () => {
  const run = (): string[] => ['x', 'x', 'y'].map(uniqueIds({ taken: ['y'], prefix: 'p_' }));
  expect(run()).toEqual(run());
});
