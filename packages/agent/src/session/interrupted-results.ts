import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import type { SDKUserBlock } from '../sdk-message.ts';
import { withoutResults } from './without-results.ts';

/**
 * Answers to the calls of the last message that have none yet. A model is not shown calls without results, and would
 * make a call again that it doesn't know of.
 */
export function interruptedResults(messages: readonly AnthropicMessage[]): readonly SDKUserBlock[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || typeof last.content === 'string') return [];
  return withoutResults((last.content as readonly unknown[]).flatMap(callIn), REASON);
}

function callIn(block: unknown): readonly { readonly id: string }[] {
  return isJsonObject(block) && block.type === 'tool_use' && typeof block.id === 'string' ? [{ id: block.id }] : [];
}

const REASON =
  'The call was interrupted before its result came. It may have run: find out before you call it again, where that matters.';
