import { isJsonObject } from '@quartermaster/core/catalog';
import { readQueries } from '@quartermaster/core/internal';
import { splitRounds } from '../internal/split-rounds.ts';
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isToolReference,
  isToolResult,
  isToolUse,
  type ServerToolUseBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from './anthropic-shapes-2026-11.ts';

/**
 * A history with its halves paired. Compaction, forks and other clients leave calls without results and results without calls:
 * unpaired halves are not rendered.
 */
export interface History {
  readonly items: readonly HistoryItem[];
  /** Searches that have their result. */
  readonly searches: ReadonlyMap<AnthropicBlock, HistorySearch>;
  /** The results of those. */
  readonly searchResults: ReadonlySet<AnthropicBlock>;
  /** Calls that are answered before the assistant speaks again. */
  readonly answeredCalls: ReadonlySet<AnthropicBlock>;
  /** The call of each result that answers one. */
  readonly callOf: ReadonlyMap<AnthropicBlock, ToolUseBlock>;
}

export type HistoryItem =
  | { readonly kind: 'message'; readonly message: AnthropicMessage; readonly index: number }
  /** What the model wrote between two results. An assistant's message is one or several of these. */
  | {
      readonly kind: 'round';
      readonly message: AnthropicMessage;
      readonly index: number;
      /** All but the results of searches. */
      readonly blocks: readonly AnthropicBlock[];
      readonly isLast: boolean;
    };

export interface HistorySearch {
  readonly block: ServerToolUseBlock;
  readonly queries: readonly string[];
  readonly outcome: SearchOutcome;
  /** The cache breakpoint on its result. */
  readonly cacheControl?: unknown;
}

/** What a search in the messages has led to. */
export type SearchOutcome =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export function readHistory(messages: readonly AnthropicMessage[]): History {
  const { searches, searchResults } = pairSearches(messages);
  const { answeredCalls, callOf } = pairCalls(messages);
  // Halves without a partner stay for now: who renders a block knows what its host can read.
  const rules = { isAnswer: isSearchResult, answers: searchResults, answered: answeredCalls, isKept: () => true };
  const items = messages.flatMap((message, index): readonly HistoryItem[] => {
    if (message.role !== 'assistant' || typeof message.content === 'string')
      return [{ kind: 'message', message, index }];
    const rounds = splitRounds([{ message, parts: blocksOf(message) }], rules);
    return rounds.map((spoken, round) => ({
      kind: 'round',
      message,
      index,
      blocks: spoken.flatMap(({ parts }) => parts),
      isLast: round === rounds.length - 1,
    }));
  });
  return { items, searches, searchResults, answeredCalls, callOf };
}

/** A result belongs to a search before it, in the same message or, after a pause, in a later one. */
function pairSearches(messages: readonly AnthropicMessage[]): Pick<History, 'searches' | 'searchResults'> {
  const searches = new Map<AnthropicBlock, HistorySearch>();
  const searchResults = new Set<AnthropicBlock>();
  const open = new Map<string, ServerToolUseBlock>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of blocksOf(message)) {
      if (isServerToolUse(block)) open.set(block.id, block);
      const call = isSearchResult(block) ? open.get(block.tool_use_id) : undefined;
      if (!isSearchResult(block) || call === undefined) continue;
      open.delete(call.id);
      searches.set(call, {
        block: call,
        queries: readQueries(call.input),
        outcome: readOutcome(block.content),
        cacheControl: block.cache_control,
      });
      searchResults.add(block);
    }
  }
  return { searches, searchResults };
}

/** Ids are matched from one assistant's turn to the results right after it: upstreams use the same id again and again. */
function pairCalls(messages: readonly AnthropicMessage[]): Pick<History, 'answeredCalls' | 'callOf'> {
  const answeredCalls = new Set<AnthropicBlock>();
  const callOf = new Map<AnthropicBlock, ToolUseBlock>();
  let calls = new Map<string, ToolUseBlock>();
  let isAnswering = false;
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (isAnswering) calls = new Map();
      isAnswering = false;
      for (const block of blocksOf(message)) if (isToolUse(block)) calls.set(block.id, block);
    } else if (message.role === 'user') {
      isAnswering = true;
      for (const block of blocksOf(message)) {
        const call = isToolResult(block) ? calls.get(block.tool_use_id) : undefined;
        if (call === undefined || answeredCalls.has(call)) continue;
        answeredCalls.add(call);
        callOf.set(block, call);
      }
    }
  }
  return { answeredCalls, callOf };
}

/** What a search came back with, as the client has kept it. Error codes are any string, messages may be missing. */
export function readOutcome(content: unknown): SearchOutcome {
  if (isJsonObject(content) && typeof content.error_code === 'string') {
    const message = typeof content.error_message === 'string' ? content.error_message : '';
    return { kind: 'failed', code: content.error_code, message };
  }
  const references = isJsonObject(content) ? content.tool_references : content;
  return { kind: 'found', names: referencesIn(references) };
}

/** The names that a list of blocks refers to. */
export function referencesIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (isToolReference(block) ? [block.tool_name] : []));
}

/** A result's text. */
export function resultText(result: ToolResultBlock): string {
  if (typeof result.content === 'string') return result.content;
  const blocks = Array.isArray(result.content) ? result.content : [];
  return blocks
    .flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}
