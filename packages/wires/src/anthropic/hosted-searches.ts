import type { Plan } from '@quartermaster/core';
import type { Place } from '@quartermaster/core/loop';
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
  /** Where it stands among what the model wrote. */
  readonly place: Place<AnthropicEvent>;
}

/**
 * Keeps searches back until the host's result comes. Models imitate the blocks of earlier searches, and their hosts pass that on
 * though nothing searches: what has no result at the end of the round is ours to answer.
 */
export interface HostedSearches {
  /** Whether a search begins with this event; it is then kept, at a place of its own. */
  start(event: BlockStart, reserve: () => Place<AnthropicEvent>): boolean;
  /** Whether the event belongs to one that is kept. */
  add(event: AnthropicEvent & { readonly type: 'content_block_delta' | 'content_block_stop' }): boolean;
  /** Releases the search that this block is the result of. */
  answer(block: AnthropicBlock): void;
  /** The host's own search goes on to the client as it came. */
  release(search: HostedSearch): void;
  /** Those without a result. */
  unanswered(): readonly HostedSearch[];
}

type BlockStart = AnthropicEvent & { readonly type: 'content_block_start' };

export function hostedSearches(plan: Plan): HostedSearches {
  const names = plan.kind === 'defer' ? plan.own.filter(({ role }) => role === 'search').map(({ name }) => name) : [];
  let kept: readonly HostedSearch[] = [];
  const release = (search: HostedSearch): void => {
    kept = kept.filter((one) => one !== search);
    search.place.fill(...search.events.map((part) => ({ kind: 'forward', part }) as const));
  };
  return {
    start(event, reserve) {
      const { content_block: block, index } = event;
      const ownName = ownSearch(plan, String(block.name))?.name;
      if (ownName === undefined || !isServerToolUse(block) || !isSearchName(block.name, names)) return false;
      kept = [...kept, { block, index, ownName, events: [event], place: reserve() }];
      return true;
    },
    add(event) {
      const search = kept.find(({ index }) => index === event.index);
      search?.events.push(event);
      return search !== undefined;
    },
    answer(block) {
      const search = isSearchResult(block) ? kept.find((one) => one.block.id === block.tool_use_id) : undefined;
      if (search !== undefined) release(search);
    },
    release,
    unanswered: () => kept,
  };
}

function isSearchName(name: string, own: readonly string[]): boolean {
  return own.includes(name) || name.startsWith('tool_search_tool');
}
