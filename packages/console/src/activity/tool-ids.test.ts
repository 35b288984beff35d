import { describe, expect, it } from 'vitest';
import { toolIds } from './tool-ids.ts';

const SEARCH = { outcome: 'match', queryCount: 1, scores: [1], answerTokens: 1, tookMs: 1 } as const;

describe('toolIds', () => {
  it('knows what was found and what was loaded by the names that the model used', () => {
    const idOf = toolIds({
      searches: [{ ...SEARCH, found: ['a__x'], tools: ['a/x'] }],
      loaded: [{ tool: 'b/y', name: 'b__y', by: 'prefetch', tokens: 1 }],
    });
    expect(['a__x', 'b__y', 'c__z'].map(idOf)).toEqual(['a/x', 'b/y', 'c__z']);
  });
});
