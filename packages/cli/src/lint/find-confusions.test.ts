import type { Searcher, Tool } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { findConfusions } from './find-confusions.ts';

const tool = (name: string): Tool =>
  createTool({ name, description: `Do the ${name} of things.`, schema: { type: 'object' } });

/** An engine that always gives the same ranking. */
function always(ranking: readonly Tool[]): Searcher {
  return {
    engine: 'bm25',
    search: async () => ({ verdict: 'match', hits: ranking.map((one, index) => ({ tool: one, score: 100 - index })) }),
    explain: async () => ({ kind: 'not-in-catalog' }),
  };
}

describe('findConfusions', () => {
  const tools = ['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1'].map(tool);
  const [first = tool('x'), second = tool('x'), ...rest] = tools;

  it('warns about a tool that ranks below another, and counts one below rank five as not found', async () => {
    const findings = await findConfusions(tools, { searcher: always(tools.slice(0, 6)), twins: new Map() });
    expect(findings.map(({ rule, tool: found, message }) => `${rule} ${found?.id}: ${message}`)).toEqual([
      'confused b1: "b1": at rank 2, a1 is first',
      'confused c1: "c1": at rank 3, a1 is first',
      'confused d1: "d1": at rank 4, a1 is first',
      'confused e1: "e1": at rank 5, a1 is first',
      'not-found f1: "f1": at rank 6, a1 is first',
      'not-found g1: "g1": not among the first 10, a1 is first',
    ]);
  });

  it('ignores a tool whose twin ranks first, and reports progress', async () => {
    const done: number[] = [];
    const options = {
      searcher: always([first, second, ...rest]),
      onProgress: (count: number) => void done.push(count),
    };
    expect(await findConfusions([second], { ...options, twins: new Map([[first, second]]) })).toEqual([]);
    expect(done).toEqual([0]);
  });

  it('suggests a fix for a tool whose words find nothing', async () => {
    const [finding] = await findConfusions([first], { searcher: always([]), twins: new Map() });
    expect(finding).toMatchObject({ rule: 'not-found', suggestion: { note: expect.stringContaining('words') } });
  });
});
