import type { AnthropicBlock, AnthropicRequest } from '@quartermaster/wires/anthropic';
import type { ResponsesRequest } from '@quartermaster/wires/openai-responses';
import { isSeal } from '../internal/seal.ts';

/**
 * A conversation that another provider has begun holds its thoughts under our seals, which no API would accept as its own
 * signatures. They go; everything else stays, and a request without any stays the same value.
 */
export function withoutSealedThinking(request: AnthropicRequest): AnthropicRequest {
  if (!Array.isArray(request.messages) || !request.messages.some(({ content }) => hasSeal(content))) return request;
  const messages = request.messages.flatMap((message) => {
    const blocks: string | readonly AnthropicBlock[] = message.content;
    if (typeof blocks === 'string') return [message];
    const content = blocks.filter((block) => !isSealed(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { ...request, messages };
}

export function withoutSealedItems(request: ResponsesRequest): ResponsesRequest {
  if (!Array.isArray(request.input) || !request.input.some((item) => isSeal(item.encrypted_content))) return request;
  return { ...request, input: request.input.filter((item) => !isSeal(item.encrypted_content)) };
}

function hasSeal(content: string | readonly AnthropicBlock[]): boolean {
  return Array.isArray(content) && content.some(isSealed);
}

function isSealed(block: AnthropicBlock): boolean {
  return (
    (block.type === 'thinking' && isSeal(block.signature)) || (block.type === 'redacted_thinking' && isSeal(block.data))
  );
}
