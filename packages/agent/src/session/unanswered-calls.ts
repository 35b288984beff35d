import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import { blocksOf } from '../message-content.ts';
import type { SDKUserBlock } from '../sdk-message.ts';

/**
 * Answers to the calls of the last message that have none yet. A model is not shown calls without results, and would
 * make a call again that it doesn't know of.
 */
export function interruptedResults(messages: readonly AnthropicMessage[]): readonly SDKUserBlock[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const calls = blocksOf(last).filter((block: unknown) => isJsonObject(block) && block.type === 'tool_use');
  return withoutResults(
    calls.flatMap(({ id }) => (typeof id === 'string' ? [{ id }] : [])),
    REASON,
  );
}

/** Replaces results that will not arrive: a call without one would be lost to the conversation. */
export function withoutResults(calls: readonly { readonly id: string }[], reason: string): readonly SDKUserBlock[] {
  return calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: reason, is_error: true }));
}

const REASON =
  'The call was interrupted before its result came. It may have run: find out before you call it again, where that matters.';
