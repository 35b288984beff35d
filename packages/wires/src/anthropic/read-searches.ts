import { isJsonObject } from '@quartermaster/core/catalog';
import { readQueries } from '@quartermaster/core/internal';
import { blocksOf, isSearchResult, isServerToolUse } from './anthropic-shapes-2026-11.ts';
import { readOutcome, type SearchOutcome } from './read-history.ts';

/** A search in a response. */
export interface ReadSearch {
  readonly id: string;
  /** `tool_search_tool_regex` or `tool_search_tool_bm25`. */
  readonly name: string;
  readonly queries: readonly string[];
  /** Who called: `direct` is the model itself. */
  readonly caller: string;
  /** `pending`: the response was paused or cut before the result. */
  readonly outcome: SearchOutcome | { readonly kind: 'pending' };
}

/** The searches of a response or of a message in a history, in order, with what each has found. */
export function readSearches(message: { readonly content: unknown }): readonly ReadSearch[] {
  const blocks = blocksOf(message);
  const results = new Map(blocks.filter(isSearchResult).map((block) => [block.tool_use_id, block.content]));
  return blocks.filter(isServerToolUse).flatMap((block) => {
    if (!block.name.startsWith('tool_search_tool') && !results.has(block.id)) return [];
    const caller = isJsonObject(block.caller) && typeof block.caller.type === 'string' ? block.caller.type : 'direct';
    const content = results.get(block.id);
    const outcome = content === undefined ? ({ kind: 'pending' } as const) : readOutcome(content);
    return [{ id: block.id, name: block.name, queries: readQueries(block.input), caller, outcome }];
  });
}
