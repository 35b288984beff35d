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

  it('warns of a tool that another beats, and counts one beyond the first five as not found', async () => {
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

  it('says nothing of a tool whose twin is first, and tells how far it is', async () => {
    const done: number[] = [];
    const options = {
      searcher: always([first, second, ...rest]),
      onProgress: (count: number) => void done.push(count),
    };
    expect(await findConfusions([second], { ...options, twins: new Map([[first, second]]) })).toEqual([]);
    expect(done).toEqual([0]);
  });

  it('says of a tool for which nothing is found what to do', async () => {
    const [finding] = await findConfusions([first], { searcher: always([]), twins: new Map() });
    expect(finding).toMatchObject({ rule: 'not-found', suggestion: { note: expect.stringContaining('words') } });
  });
});
