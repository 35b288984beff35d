import type { Call, Plan } from '@quartermaster/core';
import { type AnthropicRequest, blocksOf, isServerToolUse } from './anthropic-shapes-2026-11.ts';
import { readHistory } from './read-history.ts';
import { ownSearch } from './search-tool.ts';

/**
 * Searches without a result in what the model said last, where that turn is still open: it was paused, or it waits for the client's
 * results. In a turn that has ended, the result was taken out by the client, and the search is over.
 */
export function pendingSearches(request: AnthropicRequest, plan: Plan): readonly Call[] {
  if (plan.kind === 'inline' || plan.form.search !== 'local') return [];
  const last = request.messages.findLast(({ role }) => role === 'assistant');
  const blocks = blocksOf(last ?? { role: 'assistant', content: [] });
  const open = blocks.filter(isServerToolUse);
  const isOpen = request.messages.at(-1) === last || blocks.some(({ type }) => type === 'tool_use');
  if (open.length === 0 || !isOpen) return [];
  const { searches } = readHistory(request.messages);
  return open.flatMap((block) => {
    const name = block.name.startsWith('tool_search_tool') ? ownSearch(plan, block.name)?.name : undefined;
    if (name === undefined || searches.has(block)) return [];
    return [{ id: block.id, name, arguments: block.input ?? {} }];
  });
}
