import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicBlock, AnthropicRequest } from '@quartermaster/wires/anthropic';
import type { ResponsesRequest } from '@quartermaster/wires/openai-responses';
import { isSeal } from '../internal/seal.ts';

/**
 * A conversation that another provider has begun holds its thoughts under our seals, which no API would accept as its own
 * signatures. They go; everything else stays, what is no message or no block too, which the host refuses in its own words. A
 * request without any seal stays the same value.
 */
export function withoutSealedThinking(request: AnthropicRequest): AnthropicRequest {
  if (!Array.isArray(request.messages) || !request.messages.some((message) => hasSeal(message))) return request;
  const messages = request.messages.flatMap((message) => {
    if (!hasSeal(message)) return [message];
    const content = (message.content as readonly AnthropicBlock[]).filter((block) => !isSealed(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { ...request, messages };
}

export function withoutSealedItems(request: ResponsesRequest): ResponsesRequest {
  if (!Array.isArray(request.input) || !request.input.some(isSealedItem)) return request;
  return { ...request, input: request.input.filter((item) => !isSealedItem(item)) };
}

function hasSeal(message: unknown): boolean {
  return isJsonObject(message) && Array.isArray(message.content) && message.content.some(isSealed);
}

function isSealed(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  return (
    (block.type === 'thinking' && isSeal(block.signature)) || (block.type === 'redacted_thinking' && isSeal(block.data))
  );
}

function isSealedItem(item: unknown): boolean {
  return isJsonObject(item) && isSeal(item.encrypted_content);
}
