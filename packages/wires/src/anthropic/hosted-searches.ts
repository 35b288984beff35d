import type { Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { anthropicDefinedTool } from '@quartermaster/core/internal';
import type { Place } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  isServerToolUse,
  type ServerToolUseBlock,
} from './anthropic-shapes-2026-11.ts';
import { ownSearch } from './search-tool.ts';

/** A search that a host shows as run by itself, and its events so far; or a call of a server tool that the host does not run. */
export interface HostedSearch {
  readonly block: ServerToolUseBlock;
  readonly index: number;
  /** By which it is answered in the host's place: our search tool's, or a made-up call's own, which is refused. */
  readonly ownName: string;
  readonly isSearch: boolean;
  readonly events: AnthropicEvent[];
  /** Where it stands among what the model wrote. */
  readonly place: Place<AnthropicEvent>;
}

/**
 * Keeps searches back until the host's result comes. Models imitate the blocks of earlier searches, and their hosts pass that on
 * though nothing searches: what has no result at the end of the round is ours to answer. The same goes for calls of other server
 * tools in a request that declares none.
 */
export interface HostedSearches {
  /** Whether a search begins with this event; it is then kept, at a place of its own. */
  start(event: BlockStart, reserve: () => Place<AnthropicEvent>): boolean;
  /** Whether the event belongs to one that is kept. */
  add(event: AnthropicEvent & { readonly type: 'content_block_delta' | 'content_block_stop' }): boolean;
  /** Releases the search that this block is the result of, or the program that has made this call: it runs at the host. */
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
      if (!isServerToolUse(block)) return false;
      const own = ownSearch(plan, block.name)?.name;
      const isSearch = own !== undefined && isSearchName(block.name, names);
      if (own === undefined || (!isSearch && declaresServerTools(plan))) return false;
      kept = [
        ...kept,
        { block, index, ownName: isSearch ? own : block.name, isSearch, events: [event], place: reserve() },
      ];
      return true;
    },
    add(event) {
      const search = kept.find(({ index }) => index === event.index);
      search?.events.push(event);
      return search !== undefined;
    },
    answer(block) {
      const program = isJsonObject(block.caller) ? block.caller.tool_id : undefined;
      for (const one of kept) if (one.block.id === block.tool_use_id || one.block.id === program) release(one);
    },
    release,
    unanswered: () => kept,
  };
}

/** Tools that the host runs: what Anthropic defines and the client does not run. */
function declaresServerTools({ snapshot }: Plan): boolean {
  return snapshot.tools.some(
    ({ extras: { providerType } }) => providerType !== undefined && anthropicDefinedTool(providerType) === undefined,
  );
}

function isSearchName(name: string, own: readonly string[]): boolean {
  return own.includes(name) || name.startsWith('tool_search_tool');
}
