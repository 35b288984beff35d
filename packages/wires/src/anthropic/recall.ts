import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Fact, readTold, remember } from '@quartermaster/core/disclosure';
import { ownNamed, readQueries, splitRounds } from '@quartermaster/core/internal';
import { contentText } from '../internal/content-text.ts';
import {
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isToolReference,
  isToolResult,
  isToolUse,
  type ServerToolUseBlock,
  type ToolUseBlock,
} from './anthropic-shapes-2026-11.ts';

/** What the messages have revealed, no matter who searched: references in both kinds of blocks, added tools, calls. */
export function recallRequest(request: AnthropicRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const history = readHistory(request.messages);
  let memory = EMPTY_MEMORY;
  for (const item of history.items) memory = rememberItem(memory, item, { history, plan });
  return memory;
}

/** The memory after one item of the history. */
export function rememberItem(
  memory: Memory,
  item: HistoryItem,
  context: { readonly history: History; readonly plan: DeferPlan },
): Memory {
  return factsOf(item, context).reduce(remember, memory);
}

function factsOf(item: HistoryItem, context: { readonly history: History; readonly plan: DeferPlan }): readonly Fact[] {
  if (item.kind === 'round') return item.blocks.flatMap((block) => spokenFacts(block, context));
  if (item.message.role === 'system') return blocksOf(item.message).flatMap(addedFacts);
  const blocks = blocksOf(item.message);
  const answered = blocks.flatMap((block) => answeredFacts(block, context));
  return item.message.role === 'user' && !blocks.every(isToolResult) ? [...answered, { kind: 'asked' }] : answered;
}

/** What the model wrote: its searches, and its calls of real tools. */
function spokenFacts(
  block: AnthropicBlock,
  { history, plan }: { readonly history: History; readonly plan: DeferPlan },
): readonly Fact[] {
  const search = history.searches.get(block);
  if (search !== undefined) {
    const names = search.outcome.kind === 'found' ? search.outcome.names : [];
    return [{ kind: 'searched', queries: search.queries, names }];
  }
  if (!isToolUse(block)) return [];
  // What one of ours led to is in its answer.
  return ownNamed(plan, block.name) === undefined ? [{ kind: 'called', name: block.name }] : [];
}

/** What the client answered: references from its own search, and our answers that it keeps as text. */
function answeredFacts(
  block: AnthropicBlock,
  { history, plan }: { readonly history: History; readonly plan: DeferPlan },
): readonly Fact[] {
  const call = history.callOf.get(block);
  if (!isToolResult(block)) return [];
  const role = ownNamed(plan, call?.name)?.role;
  if (call !== undefined && role === 'search') {
    const references = referencesIn(block.content);
    const names = references.length > 0 ? references : readTold(contentText(block.content));
    return [{ kind: 'searched', queries: readQueries(call.input), names }];
  }
  if (role === 'describe') return [{ kind: 'revealed', names: readTold(contentText(block.content)) }];
  if (call !== undefined && role === 'call') {
    return block.is_error === true ? [] : wrappedNames(call.input).map((name) => ({ kind: 'called', name }));
  }
  const names = referencesIn(block.content);
  return names.length === 0 ? [] : [{ kind: 'revealed', names }];
}

/** Tools that a beta client adds within a conversation: `{ type: 'tool_addition', tool: { type: 'tool_reference', name } }`. */
function addedFacts(block: AnthropicBlock): readonly Fact[] {
  if (block.type !== 'tool_addition' || !isJsonObject(block.tool) || block.tool.type !== 'tool_reference') return [];
  const name = block.tool.name ?? block.tool.tool_name;
  return typeof name === 'string' ? [{ kind: 'revealed', names: [name] }] : [];
}

function wrappedNames(input: unknown): readonly string[] {
  if (!isJsonObject(input)) return [];
  const calls: readonly unknown[] = Array.isArray(input.calls) ? input.calls : [input];
  return calls.flatMap((call) => (isJsonObject(call) && typeof call.name === 'string' ? [call.name] : []));
}

/**
 * A history in which calls and results are paired. Compaction, forks and other clients leave calls without results and results
 * without calls: these are not rendered.
 */
export interface History {
  readonly items: readonly HistoryItem[];
  /** Searches that have a result. */
  readonly searches: ReadonlyMap<AnthropicBlock, HistorySearch>;
  /** The results of those. */
  readonly searchResults: ReadonlySet<AnthropicBlock>;
  /** Calls that are answered before the assistant's next turn. */
  readonly answeredCalls: ReadonlySet<AnthropicBlock>;
  /** The call of each result, if it has one. */
  readonly callOf: ReadonlyMap<AnthropicBlock, ToolUseBlock>;
}

export type HistoryItem =
  | { readonly kind: 'message'; readonly message: AnthropicMessage; readonly index: number }
  /** What the model wrote between two results. An assistant's message has one or several of these. */
  | {
      readonly kind: 'round';
      readonly message: AnthropicMessage;
      readonly index: number;
      /** Everything except the results of searches. */
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

/** The outcome of a search in the messages. */
export type SearchOutcome =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export function readHistory(messages: readonly AnthropicMessage[]): History {
  const { searches, searchResults } = pairSearches(messages);
  const { answeredCalls, callOf } = pairCalls(messages);
  // Unpaired halves stay for now: whether a block is rendered depends on what its host can read.
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

/** A result belongs to an earlier search in the same message or, after a pause, in an earlier message. */
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

/** Ids are matched within an assistant's turn and the results right after it, because upstreams reuse ids. */
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

/** The outcome of a search, as stored by the client. Error codes are any string, messages may be missing. */
export function readOutcome(content: unknown): SearchOutcome {
  if (isJsonObject(content) && typeof content.error_code === 'string') {
    const message = typeof content.error_message === 'string' ? content.error_message : '';
    return { kind: 'failed', code: content.error_code, message };
  }
  const references = isJsonObject(content) ? content.tool_references : content;
  return { kind: 'found', names: referencesIn(references) };
}

/** The names in a list of references. */
export function referencesIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (isToolReference(block) ? [block.tool_name] : []));
}

/** A search in a response. */
export interface ReadSearch {
  readonly id: string;
  /** `tool_search_tool_regex` or `tool_search_tool_bm25`. */
  readonly name: string;
  readonly queries: readonly string[];
  /** Who called: `direct` means the model itself. */
  readonly caller: string;
  /** `pending`: the response was paused or cut before the result. */
  readonly outcome: SearchOutcome | { readonly kind: 'pending' };
}

/** The searches of a response or of a message in a history, in order, with what each found. */
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
