import { EMPTY_MEMORY, type Memory } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Found, type Tell, wrapCall } from '@quartermaster/core/disclosure';
import { ownTool, readQueries } from '@quartermaster/core/internal';
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isToolReference,
  isToolResult,
  isToolUse,
  type ToolResultBlock,
} from './anthropic-shapes-2026-11.ts';
import { inCallOrder } from './anthropic-transcript.ts';
import { ownSearch } from './open.ts';
import {
  type History,
  type HistoryItem,
  type HistorySearch,
  readHistory,
  referencesIn,
  rememberItem,
} from './recall.ts';

interface MessageContext {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  /** Whether the tool is declared, so that a reference to it is valid. */
  readonly has: (name: string) => boolean;
}

/**
 * The history as the upstream can read it. Always rendered the same way from the same messages, so that the model reads the
 * same bytes in a later round and in a later turn.
 */
export function renderMessages(
  messages: readonly AnthropicMessage[],
  context: MessageContext,
): readonly AnthropicMessage[] {
  const history = readHistory(messages);
  const { form } = context.plan;
  if (form.reveal === 'native' && form.search !== 'local') return keepBlocks(messages, { ...context, history });
  return rewriteBlocks(messages, { ...context, history });
}

interface HistoryContext extends MessageContext {
  readonly history: History;
}

/** For an upstream that knows the blocks of a search: all stay, except unpaired halves and dangling references. */
function keepBlocks(messages: readonly AnthropicMessage[], context: HistoryContext): readonly AnthropicMessage[] {
  const { history, has } = context;
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return answerMessage(message, EMPTY_MEMORY, context);
    return withBlocks(message, (block) => {
      if (isSearchResult(block)) return history.searchResults.has(block) ? [withReferences(block, has)] : [];
      if (isToolUse(block)) return history.answeredCalls.has(block) ? [block] : [];
      return isLoneSearch(block, history) ? [] : [block];
    });
  });
}

function withReferences(block: AnthropicBlock, has: (name: string) => boolean): AnthropicBlock {
  const { content } = block;
  if (!isJsonObject(content) || referencesIn(content.tool_references).every(has)) return block;
  const references = Array.isArray(content.tool_references) ? content.tool_references : [];
  const kept = references.filter((reference) => isToolReference(reference) && has(reference.tool_name));
  return { ...block, content: { ...content, tool_references: kept } };
}

/** For every other upstream: a search becomes an ordinary call and its result. */
function rewriteBlocks(messages: readonly AnthropicMessage[], context: HistoryContext): readonly AnthropicMessage[] {
  const out: AnthropicMessage[] = [];
  let memory = EMPTY_MEMORY;
  let carried: readonly AnthropicBlock[] = [];
  /** The message that the last of `out` is a part of, as long as nothing was answered in between. */
  let speaker: number | undefined;
  for (const item of context.history.items) {
    const before = memory;
    memory = rememberItem(memory, item, context);
    if (item.kind === 'message') {
      speaker = undefined;
      const isCarrier = carried.length > 0 && item.message.role === 'user';
      const answered = answerMessage(item.message, before, context);
      out.push(...(isCarrier ? [prepend(carried, answered[0], out)] : answered));
      if (isCarrier) carried = [];
      continue;
    }
    const [spoken] = spokenMessage(item, context);
    if (spoken !== undefined) {
      const before = speaker === item.index ? out.pop() : undefined;
      out.push(before === undefined ? spoken : { ...spoken, content: [...blocksOf(before), ...blocksOf(spoken)] });
      speaker = item.index;
    }
    const results = searchesIn(item, context).map((search) => searchResult(search, before, context));
    if (results.length === 0) continue;
    speaker = undefined;
    if (hasCarrier(messages, item, context)) carried = [...carried, ...results];
    else out.push({ role: 'user', content: results });
  }
  return out;
}

/**
 * Whether the results of a round go into the following message: always if that is the user's, and past a system message too
 * if it answers calls of the same round, because all results of a round must be in one message.
 */
function hasCarrier(
  messages: readonly AnthropicMessage[],
  item: HistoryItem & { readonly kind: 'round' },
  context: HistoryContext,
): boolean {
  if (!item.isLast) return false;
  const isWaiting = item.blocks.some((block) => context.history.answeredCalls.has(block));
  const rest = messages.slice(item.index + 1);
  const next = isWaiting ? rest.find((message) => message.role !== 'system') : rest[0];
  return next?.role === 'user';
}

function spokenMessage(
  item: HistoryItem & { readonly kind: 'round' },
  context: HistoryContext,
): readonly AnthropicMessage[] {
  const { history, plan } = context;
  return withBlocks({ ...item.message, content: item.blocks }, (block) => {
    const found = history.searches.get(block);
    if (found !== undefined) {
      const search = ownSearch(plan, found.block.name)?.name;
      if (search === undefined) return [];
      return [
        {
          ...{ type: 'tool_use', id: found.block.id, name: search, input: found.block.input ?? {} },
          ...breakpoint(found.block.cache_control),
        },
      ];
    }
    if (isLoneSearch(block, history)) return [];
    if (!isToolUse(block)) return [block];
    if (!history.answeredCalls.has(block)) return [];
    const wrapped = wrapCall(plan, { name: block.name, arguments: block.input });
    return [wrapped.name === block.name ? block : { ...block, name: wrapped.name, input: wrapped.arguments }];
  });
}

/** The searches of a round, unless the plan has no search tool. */
function searchesIn(
  item: HistoryItem & { readonly kind: 'round' },
  { history, plan }: HistoryContext,
): readonly HistorySearch[] {
  if (ownTool(plan, 'search') === undefined) return [];
  return item.blocks.flatMap((block) => history.searches.get(block) ?? []);
}

function searchResult(search: HistorySearch, before: Memory, context: MessageContext): ToolResultBlock {
  const { outcome, queries, block, cacheControl } = search;
  const result = { type: 'tool_result', tool_use_id: block.id, ...breakpoint(cacheControl) } as const;
  if (outcome.kind === 'failed') {
    const { code, message } = outcome;
    return { ...result, content: context.tell({ kind: 'failure', queries, code, message }, before), is_error: true };
  }
  return { ...result, content: told({ kind: 'search', queries, names: outcome.names }, before, context) };
}

function breakpoint(cacheControl: unknown): { readonly cache_control?: unknown } {
  return cacheControl === undefined || cacheControl === null ? {} : { cache_control: cacheControl };
}

/** References if the upstream expands them and there are any, otherwise the text of the answer. */
function told(
  found: Found & { readonly kind: 'search' },
  before: Memory,
  { plan, tell, has }: MessageContext,
): string | readonly AnthropicBlock[] {
  const good = found.names.filter(has);
  if (plan.form.reveal !== 'native' || good.length === 0) return tell(found, before);
  return good.map((name) => ({ type: 'tool_reference', tool_name: name }));
}

/** A user or system message: the client's references are expanded or checked, results without a call are dropped. */
function answerMessage(
  message: AnthropicMessage,
  before: Memory,
  context: HistoryContext,
): readonly AnthropicMessage[] {
  if (typeof message.content === 'string') return [message];
  return withBlocks(message, (block) => {
    if (isToolChange(block)) return context.plan.form.reveal === 'native' ? [block] : [];
    if (!isToolResult(block)) return [block];
    if (!context.history.callOf.has(block)) return [];
    return [withAnswer(block, before, context)];
  });
}

function withAnswer(block: ToolResultBlock, before: Memory, context: HistoryContext): ToolResultBlock {
  const names = referencesIn(block.content);
  if (names.length === 0) return block;
  const isNative = context.plan.form.reveal === 'native';
  if (isNative && names.every(context.has)) return block;
  const queries = readQueries(context.history.callOf.get(block)?.input);
  const text = told({ kind: 'search', queries, names }, before, context);
  const instead: readonly AnthropicBlock[] = typeof text === 'string' ? [{ type: 'text', text }] : text;
  const blocks: readonly unknown[] = Array.isArray(block.content) ? block.content : [];
  const first = blocks.findIndex(isToolReference);
  const content = blocks.flatMap((one, index): readonly unknown[] => {
    if (index === first) return instead;
    return isToolReference(one) ? [] : [one];
  });
  return { ...block, content };
}

/** The message with other blocks; itself if all stay; undefined if none are left, or only thinking. */
function withBlocks(
  message: AnthropicMessage,
  change: (block: AnthropicBlock) => readonly AnthropicBlock[],
): readonly AnthropicMessage[] {
  if (typeof message.content === 'string') return [message];
  const before = blocksOf(message);
  const after = before.flatMap(change);
  if (after.length === before.length && after.every((block, index) => block === before[index])) {
    return after.length === 0 ? [] : [message];
  }
  return after.every(isThought) ? [] : [{ ...message, content: after }];
}

/** Sorts all results of a round in the order of its calls. */
function prepend(
  results: readonly AnthropicBlock[],
  message: AnthropicMessage | undefined,
  before: readonly AnthropicMessage[],
): AnthropicMessage {
  if (message === undefined) return { role: 'user', content: results };
  return { ...message, content: inCallOrder([...results, ...blocksOf(message)], before) };
}

function isLoneSearch(block: AnthropicBlock, history: History): boolean {
  return isServerToolUse(block) && block.name.startsWith('tool_search_tool') && !history.searches.has(block);
}

function isToolChange(block: AnthropicBlock): boolean {
  return block.type === 'tool_addition' || block.type === 'tool_removal';
}

function isThought(block: AnthropicBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
