import { isJsonObject } from '@quartermaster/core/catalog';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropicDialect,
} from '@quartermaster/wires/anthropic';
import type { ServedDialect } from '../../dialect.ts';
import { isSeal } from '../../internal/seal.ts';
import { knowsBlocks } from './read-blocks.ts';
import { toCall } from './to-call.ts';
import { writeEvents } from './write-events.ts';

export const anthropic: ServedDialect<AnthropicRequest, AnthropicEvent, AnthropicResponse, 'anthropic'> = {
  ...anthropicDialect,
  codec: {
    toCall,
    writer: writeEvents,
    withoutSeals,
    showsExecuted: knowsBlocks,
    // Clients treat messages with one id as parts of one message, and hosts that start counting again in every response are
    // not rare.
    isUsableId: (id) => id.startsWith('msg_'),
  },
};

/**
 * A conversation that another provider began contains its reasoning and citations under our seals, which no API would accept as its
 * own signatures. They are removed; everything else stays, even what is not a message or a block, which the host rejects itself. A
 * request without any seal stays the same object.
 */
function withoutSeals(request: AnthropicRequest): AnthropicRequest {
  if (!Array.isArray(request.messages) || !request.messages.some((message) => hasSeal(message))) return request;
  const messages = request.messages.flatMap((message) => {
    if (!hasSeal(message)) return [message];
    const content = (message.content as readonly AnthropicBlock[]).flatMap(unsealed);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { ...request, messages };
}

function hasSeal(message: unknown): boolean {
  return (
    isJsonObject(message) &&
    Array.isArray(message.content) &&
    message.content.some((one) => isSealed(one) || hasSealedCitation(one))
  );
}

function hasSealedCitation(block: unknown): boolean {
  return isJsonObject(block) && Array.isArray(block.citations) && block.citations.some(isSealedCitation);
}

function isSealedCitation(citation: unknown): boolean {
  return isJsonObject(citation) && isSeal(citation.encrypted_index);
}

/** A text that had only sealed citations is removed with them. */
function unsealed(block: AnthropicBlock): readonly AnthropicBlock[] {
  if (isSealed(block)) return [];
  if (!hasSealedCitation(block)) return [block];
  const { citations, ...text } = block;
  const kept = (citations as readonly unknown[]).filter((citation) => !isSealedCitation(citation));
  if (kept.length > 0) return [{ ...text, citations: kept }];
  return text.text === '' ? [] : [text];
}

function isSealed(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  return (
    (block.type === 'thinking' && isSeal(block.signature)) || (block.type === 'redacted_thinking' && isSeal(block.data))
  );
}
