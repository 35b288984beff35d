import { describe, expect, it } from 'vitest';
import { readSavingsState } from './savings-state.ts';

describe('a link to the savings', () => {
  it.each([
    [{ period: '30d', unit: 'tokens' }, {}],
    [
      { period: '7d', unit: 'money', by: 'key' },
      { period: '7d', unit: 'money', by: 'key' },
    ],
    [{ period: '24h' }, { period: '1d' }],
    [{ period: 90 }, { period: '90d' }],
    [{ period: '12d', by: 'colour' }, {}],
    [{ client: 'claude-code' }, { client: 'claude-code' }],
  ])('%j means %j', (search, state) => {
    expect(readSavingsState(search)).toEqual(state);
  });
});
