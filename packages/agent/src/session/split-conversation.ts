import type { AnthropicBlock, AnthropicMessage } from '@quartermaster/wires/anthropic';
import { messageTokens } from './message-tokens.ts';

export interface SplitConversation {
  /** Dropped: at least one message. */
  readonly dropped: readonly AnthropicMessage[];
  /** Kept unchanged: at least one message. */
  readonly kept: readonly AnthropicMessage[];
}

/**
 * Splits a conversation so that its end takes at most a number of tokens. The kept part never begins with results whose calls
 * are dropped. Undefined if nothing can be dropped.
 */
export function splitConversation(
  messages: readonly AnthropicMessage[],
  keepTokens: number,
): SplitConversation | undefined {
  let start = messages.length;
  let tokens = 0;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    tokens += messageTokens(message);
    if (tokens > keepTokens && start < messages.length) break;
    if (!holdsResults(message)) start = index;
  }
  if (start === 0 || start === messages.length) return undefined;
  return { dropped: messages.slice(0, start), kept: messages.slice(start) };
}

function holdsResults({ role, content }: AnthropicMessage): boolean {
  return role === 'user' && Array.isArray(content) && (content as readonly AnthropicBlock[]).some(isResult);
}

function isResult({ type }: AnthropicBlock): boolean {
  return type === 'tool_result';
}
