import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { type DeferPlan, type Fact, type Own, readTold, remember } from '@quartermaster/core/disclosure';
import { readQueries } from '@quartermaster/core/internal';
import {
  type AnthropicBlock,
  type AnthropicRequest,
  blocksOf,
  isToolResult,
  isToolUse,
} from './anthropic-shapes-2026-11.ts';
import { type History, type HistoryItem, readHistory, referencesIn, resultText } from './read-history.ts';

/** What the messages have revealed, regardless of who searched: references in both kinds of blocks, added tools, calls. */
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
  switch (roleOf(plan, block.name)) {
    case undefined:
      return [{ kind: 'called', name: block.name }];
    case 'call':
    case 'search':
    case 'describe':
      // What came of it is in the answer.
      return [];
  }
}

/** What the client answered: references of its own search, and answers of ours that it keeps as text. */
function answeredFacts(
  block: AnthropicBlock,
  { history, plan }: { readonly history: History; readonly plan: DeferPlan },
): readonly Fact[] {
  const call = history.callOf.get(block);
  if (!isToolResult(block)) return [];
  const role = call === undefined ? undefined : roleOf(plan, call.name);
  if (call !== undefined && role === 'search') {
    const references = referencesIn(block.content);
    const names = references.length > 0 ? references : readTold(resultText(block));
    return [{ kind: 'searched', queries: readQueries(call.input), names }];
  }
  if (role === 'describe') return [{ kind: 'revealed', names: readTold(resultText(block)) }];
  if (call !== undefined && role === 'call') {
    return block.is_error === true ? [] : wrappedNames(call.input).map((name) => ({ kind: 'called', name }));
  }
  const names = referencesIn(block.content);
  return names.length === 0 ? [] : [{ kind: 'revealed', names }];
}

/** Tools that a beta client adds in the middle of a conversation: `{ type: 'tool_addition', tool: { type: 'tool_reference', name } }`. */
function addedFacts(block: AnthropicBlock): readonly Fact[] {
  if (block.type !== 'tool_addition' || !isJsonObject(block.tool) || block.tool.type !== 'tool_reference') return [];
  const name = block.tool.name ?? block.tool.tool_name;
  return typeof name === 'string' ? [{ kind: 'revealed', names: [name] }] : [];
}

function roleOf(plan: DeferPlan, name: string): Own['role'] | undefined {
  return plan.own.find((own) => own.name === name)?.role;
}

function wrappedNames(input: unknown): readonly string[] {
  if (!isJsonObject(input)) return [];
  const calls: readonly unknown[] = Array.isArray(input.calls) ? input.calls : [input];
  return calls.flatMap((call) => (isJsonObject(call) && typeof call.name === 'string' ? [call.name] : []));
}
