import { describe, expect, it } from 'vitest';
import { readActivityState } from './activity-state.ts';

describe('a link to the activity', () => {
  it.each([
    [{ view: 'requests' }, {}],
    [
      { view: 'nothing', q: 'refund' },
      { view: 'nothing', q: 'refund' },
    ],
    [{ outcome: 'refused' }, { view: 'refused' }],
    [
      { net: 'negative', key: 'ops' },
      { view: 'loss', key: 'ops' },
    ],
    [{ show: 'note' }, { show: 'model' }],
    [{ from: '2026-11-18', to: 'soon' }, { from: '2026-11-18' }],
    [{ q: 404 }, { q: '404' }],
    [{ view: 'no such view', model: '' }, {}],
  ])('%j means %j', (search, state) => {
    expect(readActivityState(search)).toEqual(state);
  });
});
