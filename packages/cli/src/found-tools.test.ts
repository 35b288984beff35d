import { createTool } from '@quartermaster/core/catalog';
import type { Hit } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import { foundTools } from './found-tools.ts';

describe('foundTools', () => {
  const hit = (server: string, score: number, ...also: string[]): Hit => ({
    tool: createTool({ name: 'list', server }),
    score,
    ...(also.length > 0 ? { also: also.map((other) => createTool({ name: 'list', server: other })) } : {}),
  });

  it('lists folded tools after their representative, with its score', () => {
    const found = foundTools([hit('a', 3, 'b', 'c'), hit('d', 2)], 5);
    expect(found.map(({ tool, score }) => [tool.server, score])).toEqual([
      ['a', 3],
      ['b', 3],
      ['c', 3],
      ['d', 2],
    ]);
  });

  it('never returns more than the limit', () => {
    expect(foundTools([hit('a', 3, 'b', 'c'), hit('d', 2)], 2).map(({ tool }) => tool.server)).toEqual(['a', 'b']);
  });
});
