import { describe, expect, it } from 'vitest';
import { LIST_DEFAULTS, listTools, type ToolsPage } from './list-tools.ts';

const pages = (list: readonly ToolsPage[]): ((cursor: string | undefined) => Promise<ToolsPage>) => {
  return async (cursor) => list[Number(cursor ?? 0)] ?? { tools: [] };
};
const names = (tools: readonly { readonly value: unknown }[]): unknown[] => tools.map(({ value }) => value);

describe('listTools', () => {
  it('puts all pages together', async () => {
    const listed = await listTools(
      pages([{ tools: ['a', 'b'], nextCursor: '1' }, { tools: [], nextCursor: '2' }, { tools: ['c'] }]),
    );
    expect(names(listed.tools)).toEqual(['a', 'b', 'c']);
    expect(listed.stopped).toBeUndefined();
  });

  it.each([
    [{ toolsPerServer: 1 }, ['a'], 'after 1 tools (mcp.limits.toolsPerServer)'],
    [{ listBytes: 7 }, ['a', 'b'], 'after 7 bytes (mcp.limits.listBytes)'],
    [{ listPages: 1 }, ['a', 'b'], 'after 1 pages (mcp.limits.listPages)'],
  ])('stops at %j and keeps what it has', async (limits, kept, stopped) => {
    const getPage = pages([{ tools: ['a', 'b'], nextCursor: '1' }, { tools: ['c'] }]);
    const listed = await listTools(getPage, { ...LIST_DEFAULTS, ...limits });
    expect(names(listed.tools)).toEqual(kept);
    expect(listed.stopped).toBe(stopped);
  });
});
