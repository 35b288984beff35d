import type { Tool } from '@quartermaster/core';
import { parseArguments } from '@quartermaster/core/dispatch';
import type { AnthropicBlock, AnthropicEvent } from '@quartermaster/wires/anthropic';

/** A call to a server's tool, complete. */
export interface HeardCall {
  readonly id: string;
  readonly tool: Tool;
  /** Undefined where the model wrote no JSON, although nothing was cut. */
  readonly input: unknown;
}

export type Heard =
  | { readonly kind: 'event'; readonly event: AnthropicEvent }
  | { readonly kind: 'call'; readonly call: HeardCall }
  /** Among the events a call begins that the client has to answer. */
  | { readonly kind: 'client-call' };

interface OpenCall {
  readonly id: string;
  readonly tool: Tool;
  readonly block: AnthropicBlock;
  json: string;
}

/**
 * Reads one round, and keeps back what calls a server until it is complete: nobody needs it before, and what a token limit cuts
 * in the middle is dropped instead of being half shown.
 */
export async function* hearRound(
  parts: AsyncIterable<AnthropicEvent>,
  resolve: (modelName: string) => Tool | undefined,
): AsyncGenerator<Heard, void, undefined> {
  const open = new Map<number, OpenCall>();
  const waiting: OpenCall[] = [];
  let reason: string | null | undefined;
  for await (const event of parts) {
    if (event.type === 'message_delta') reason = event.delta.stop_reason ?? reason;
    const call = isOfBlock(event) ? open.get(event.index) : undefined;
    if (call !== undefined && event.type === 'content_block_delta') {
      if (typeof event.delta.partial_json === 'string') call.json += event.delta.partial_json;
    } else if (call !== undefined && event.type === 'content_block_stop') {
      open.delete(event.index);
      const input = inputOf(call);
      if (input === undefined) waiting.push(call);
      else yield { kind: 'call', call: { id: call.id, tool: call.tool, input } };
    } else if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      const { id, name } = event.content_block;
      const tool = resolve(String(name));
      if (tool === undefined) {
        yield { kind: 'client-call' };
        yield { kind: 'event', event };
      } else open.set(event.index, { id: String(id), tool, block: event.content_block, json: '' });
    } else yield { kind: 'event', event };
  }
  // The stop of a block comes before the reason, and only the reason tells what was cut from what is miswritten.
  if (reason !== 'tool_use') return;
  for (const { id, tool, json } of waiting) {
    yield { kind: 'call', call: { id, tool, input: json.trim() === '' ? {} : json } };
  }
}

type BlockEvent = Extract<AnthropicEvent, { readonly type: `content_block_${string}` }>;

/** Whether an event is part of a content block. */
function isOfBlock(event: AnthropicEvent): event is BlockEvent {
  return event.type.startsWith('content_block_');
}

/** Some hosts send arguments with the block's start. */
function inputOf({ block, json }: OpenCall): unknown {
  if (json.trim() !== '') return parseArguments(json);
  const { input } = block;
  // A text is no arguments, and must not pass for none.
  if (typeof input === 'string' && input.trim() !== '') return input;
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0 ? input : undefined;
}
