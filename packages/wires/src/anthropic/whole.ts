import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { Whole } from '@quartermaster/core/loop';
import { writtenInput } from '../internal/unreadable-input.ts';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicResponse,
  blocksOf,
} from './anthropic-shapes-2026-11.ts';
import { assembleBlocks } from './assemble-blocks.ts';
import { closingFields, openingFields, overwriteUsage } from './response-closing.ts';
import { UpstreamEventError } from './upstream-event-error.ts';

/** A message that was not streamed, taken apart into the events of a stream and put together again. */
export const anthropicWhole: Whole<AnthropicResponse, AnthropicEvent> = {
  toParts(response) {
    const message = { ...openingFields(response), content: [], stop_reason: null, stop_sequence: null };
    // Streams have it beside the delta, where the SDK reads it.
    const { context_management, ...closing } = closingFields(response);
    return [
      { type: 'message_start', message },
      ...blocksOf(response).flatMap(blockEvents),
      {
        type: 'message_delta',
        delta: { stop_reason: null, stop_sequence: null, ...closing },
        ...defined({ context_management, usage: response.usage }),
      },
      { type: 'message_stop' },
    ];
  },

  fromParts(events) {
    const blocks = assembleBlocks();
    let message: AnthropicResponse = { content: [] };
    for (const event of events) {
      blocks.add(event);
      if (event.type === 'error') throw new UpstreamEventError(event.error);
      if (event.type === 'message_start') message = event.message;
      if (event.type === 'message_delta') {
        const { type: _, delta, usage, ...extra } = event;
        const merged = overwriteUsage(message.usage ?? {}, usage);
        message = { ...message, ...extra, ...delta, ...(usage === undefined ? {} : { usage: merged }) };
      }
    }
    return { ...message, content: blocks.blocks() };
  },
};

/**
 * Only arguments arrive by pieces in the ways that matter to a reader; every other block can come whole with its start. Arguments
 * without a member bring no piece, as in a stream: a call that the token limit has cut has none either, and only the reason at the
 * end tells which it was.
 */
function blockEvents(block: AnthropicBlock, index: number): readonly AnthropicEvent[] {
  const isCall = block.type === 'tool_use' || block.type === 'server_tool_use';
  const hasInput = isCall && block.input !== undefined && !isEmpty(block.input);
  const started = hasInput ? { ...block, input: {} } : block;
  const written = writtenInput(block.input ?? {});
  const delta = {
    type: 'input_json_delta',
    partial_json: typeof written === 'string' ? written : JSON.stringify(written),
  };
  return [
    { type: 'content_block_start', index, content_block: started },
    ...(hasInput ? [{ type: 'content_block_delta', index, delta } as const] : []),
    { type: 'content_block_stop', index },
  ];
}

function isEmpty(input: unknown): boolean {
  return isJsonObject(input) && Object.keys(input).length === 0;
}
