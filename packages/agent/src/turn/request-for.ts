import { defined } from '@quartermaster/core/internal';
import type { AnthropicMessage, AnthropicRequest } from '@quartermaster/wires/anthropic';
import { blocksOf } from '../message-content.ts';
import type { ResolvedModel } from '../model/index.ts';
import type { TurnContext } from './turn-context.ts';

const MOST_OUTPUT_TOKENS = 8_192;

/** The next request, without tools, which come from the plan. */
export function requestFor(context: TurnContext, { model, limits, upstream }: ResolvedModel): AnthropicRequest {
  const { conversation, system, maxOutputTokens } = context;
  const isCaching = upstream.transport === 'anthropic-messages';
  return {
    model,
    max_tokens: maxOutputTokens ?? Math.max(1, Math.min(MOST_OUTPUT_TOKENS, Math.floor(limits.contextTokens / 4))),
    ...defined({ system }),
    messages: isCaching ? withBreakpoint(conversation.messages) : conversation.messages,
    stream: true,
  };
}

/** Everything up to here is also the start of the next request, and worth caching at the provider. */
function withBreakpoint(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return messages;
  const blocks = blocksOf(last);
  const marked = blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
  return [...messages.slice(0, -1), { ...last, content: marked }];
}
