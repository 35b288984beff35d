import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool } from '../../catalog/index.ts';
import { runToEnd } from '../../slices.ts';
import { FORMS } from './form.ts';
import { makeInlinePlan, withoutSearch } from './make-plan.ts';

describe('withoutSearch', () => {
  const snapshot = createSnapshot([
    createTool({ name: 'send', description: 'Send a message' }),
    createTool({ name: 'read' }),
  ]);
  const inline = runToEnd(makeInlinePlan({ snapshot, tools: snapshot.tools, reason: 'few', toolTokens: () => 5 }));

  it('shows every tool, defers none and has nothing to search with', () => {
    const plan = withoutSearch(inline);
    expect(plan).toMatchObject({ kind: 'defer', form: FORMS.client, own: [], reason: 'few' });
    expect(plan.deferred.size).toBe(0);
    expect(plan.shown.map(({ name }) => name)).toEqual(['send', 'read']);
    expect(plan.definitions).toBe(inline.definitions);
  });

  it('is the same value each time, so that what is kept for a plan is found again', () => {
    const names = ['protocol_search'];
    for (const make of [
      () => withoutSearch(inline),
      () => withoutSearch(inline, names),
      () => withoutSearch(inline, 'clients'),
    ])
      expect(make()).toBe(make());
    expect(withoutSearch(inline, names)).not.toBe(withoutSearch(inline));
    expect(withoutSearch(inline, 'clients').pastSearches).toBeUndefined();
  });
});
