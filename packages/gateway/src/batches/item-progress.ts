import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { AnthropicBlock, AnthropicRequest, AnthropicResponse } from '@quartermaster/wires/anthropic';
import { addUsage } from '../add-usage.ts';

/** How far the answer to an item has come. It is kept after each call to a model, so that no call but the last is ever repeated. */
export interface ItemProgress {
  /** How many times a model was asked. */
  readonly rounds: number;
  /** The response so far: all that a client would have been sent. */
  readonly message: AnthropicResponse;
}

/** Undefined where there is none, and so for what an earlier version has kept that can't be read any more. */
export function readProgress(text: string | undefined): ItemProgress | undefined {
  if (text === undefined) return undefined;
  const value = JSON.parse(text) as Partial<ItemProgress>;
  const isWhole = typeof value.rounds === 'number' && Array.isArray(value.message?.content);
  return isWhole ? (value as ItemProgress) : undefined;
}

/** One response of all rounds: it is named by the first, ended by the last, and its usage is that of all. */
export function addRound(before: ItemProgress | undefined, message: AnthropicResponse): ItemProgress {
  if (before === undefined) return { rounds: 1, message };
  const { id, content, usage = {} } = before.message;
  return {
    rounds: before.rounds + 1,
    message: {
      ...before.message,
      ...message,
      id,
      content: [...content, ...message.content],
      usage: addUsage(usage, message.usage ?? {}),
    },
  };
}

/** Whether it paused with what we have found or called for it, and not for a reason of its host's, which is the client's to know. */
export function isUnfinished({ stop_reason: reason, content }: AnthropicResponse): boolean {
  return reason === 'pause_turn' && OUR_RESULTS.has(content.at(-1)?.type ?? '');
}

const OUR_RESULTS: ReadonlySet<string> = new Set(['tool_search_tool_result', 'mcp_tool_result']);

/** The item's request as a client would send it again after the pause. */
export function requestAfter(params: JsonObject, { message }: ItemProgress): JsonObject {
  // An empty text block, as hosts open one and say nothing, would be refused.
  const content = message.content.filter((block) => block.type !== 'text' || block.text !== '');
  const messages = Array.isArray(params.messages) ? params.messages : [];
  return {
    ...relax(params, content.at(-1)),
    ...tokensLeft(params, message.usage?.output_tokens),
    messages: [...messages, { role: 'assistant', content }],
  } as JsonObject;
}

/** The limit is the client's for all rounds together. A thinking budget must stay below it, so it stays above that. */
function tokensLeft({ max_tokens: limit, thinking }: JsonObject, used: unknown): { readonly max_tokens?: number } {
  if (typeof limit !== 'number' || typeof used !== 'number') return {};
  const budget = isJsonObject(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  return { max_tokens: Math.min(limit, Math.max(budget + 1, limit - used)) };
}

/** A choice that forced what has been done by now is no longer one: it would be done again and again. */
function relax(params: JsonObject, last: AnthropicBlock | undefined): JsonObject {
  const choice = params.tool_choice as AnthropicRequest['tool_choice'];
  if (!isJsonObject(choice)) return params;
  const isSearch = typeof choice.name === 'string' && choice.name.startsWith('tool_search_tool_');
  const isDone = last?.type === 'mcp_tool_result' ? choice.type === 'tool' || choice.type === 'any' : isSearch;
  if (!isDone) return params;
  const { name: _, ...rest } = choice;
  return { ...params, tool_choice: { ...rest, type: 'auto' } } as JsonObject;
}
