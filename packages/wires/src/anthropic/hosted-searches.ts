import type { Plan } from '@quartermaster/core';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  isSearchResult,
  isServerToolUse,
  type ServerToolUseBlock,
} from './anthropic-shapes-2026-11.ts';
import { ownSearch } from './search-tool.ts';

/** A search that a host shows as run by itself, and its events so far. */
export interface HostedSearch {
  readonly block: ServerToolUseBlock;
  readonly index: number;
  /** Of our search tool that can answer in the host's place. */
  readonly ownName: string;
  readonly events: AnthropicEvent[];
}

/**
 * Keeps searches back until the host's result comes. Models imitate the blocks of earlier searches, and their hosts pass that on
 * though nothing searches: what has no result at the end of the round is ours to answer.
 */
export interface HostedSearches {
  /** Whether the event was kept. */
  keep(event: AnthropicEvent): boolean;
  /** The events of the search that this block is the result of. */
  release(block: AnthropicBlock): readonly AnthropicEvent[];
  /** Those without a result. */
  unanswered(): readonly HostedSearch[];
}

export function hostedSearches(plan: Plan): HostedSearches {
  const names = plan.kind === 'defer' ? plan.own.filter(({ role }) => role === 'search').map(({ name }) => name) : [];
  let kept: readonly HostedSearch[] = [];
  return {
    keep(event) {
      if (event.type === 'content_block_start') {
        const { content_block: block, index } = event;
        const ownName = ownSearch(plan, String(block.name))?.name;
        if (ownName === undefined || !isServerToolUse(block) || !isSearchName(block.name, names)) return false;
        kept = [...kept, { block, index, ownName, events: [event] }];
        return true;
      }
      if (event.type !== 'content_block_delta' && event.type !== 'content_block_stop') return false;
      const search = kept.find(({ index }) => index === event.index);
      search?.events.push(event);
      return search !== undefined;
    },
    release(block) {
      const search = isSearchResult(block) ? kept.find((one) => one.block.id === block.tool_use_id) : undefined;
      kept = kept.filter((one) => one !== search);
      return search?.events ?? [];
    },
    unanswered: () => kept,
  };
}

function isSearchName(name: string, own: readonly string[]): boolean {
  return own.includes(name) || name.startsWith('tool_search_tool');
}
