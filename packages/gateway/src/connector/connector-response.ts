import { isJsonObject } from '@quartermaster/core/catalog';
import { uniqueIds } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicUsage,
  anthropicWhole,
  type MessageDeltaEvent,
} from '@quartermaster/wires/anthropic';
import { addUsage } from '../add-usage.ts';
import type { HeardCall } from './hear-round.ts';
import type { CallResult } from './write-result.ts';

/** One response over all rounds: one opening, one closing, indexes without a gap, usage added up. */
export interface ConnectorResponse {
  /** An event of the round under way. The first one of all that opens a message opens the response. */
  forward(event: AnthropicEvent): readonly AnthropicEvent[];
  /** A call to a server, and the id that it has for the client. */
  showCall(call: HeardCall): { readonly id: string; readonly events: readonly AnthropicEvent[] };
  showResult(id: string, result: CallResult): readonly AnthropicEvent[];
  /** Ends a round. Gives the upstream's reason for stopping. */
  endRound(): string | null;
  /** The request with everything that the client was sent. */
  extended(): AnthropicRequest;
  finish(reason: string | null): readonly AnthropicEvent[];
}

export function createConnectorResponse(
  request: AnthropicRequest,
  /** Blocks that stand before everything that the model says. */
  opening: readonly AnthropicBlock[],
): ConnectorResponse {
  const ids = uniqueIds({ taken: idsIn(request), pattern: /^mcptoolu_/, prefix: 'mcptoolu_' });
  const sent: AnthropicEvent[] = [];
  let isOpen = false;
  let count = 0;
  let usage: AnthropicUsage = {};
  let closing: MessageDeltaEvent | undefined;
  let heard: AnthropicEvent[] = [];
  /** From the round's indexes to the client's. */
  let indexes = new Map<number, number>();

  const emit = (events: readonly AnthropicEvent[]): readonly AnthropicEvent[] => {
    sent.push(...events);
    return events;
  };
  const whole = (block: AnthropicBlock, input?: unknown): readonly AnthropicEvent[] => {
    const index = count++;
    return emit([
      { type: 'content_block_start', index, content_block: block },
      ...(input === undefined ? [] : [inputDelta(index, input)]),
      { type: 'content_block_stop', index },
    ]);
  };
  const open = (event: AnthropicEvent & { type: 'message_start' }): readonly AnthropicEvent[] => {
    if (isOpen) return [];
    isOpen = true;
    const started = emit([{ ...event, message: { ...event.message, content: [] } }]);
    return [...started, ...opening.flatMap((block) => whole(block))];
  };

  return {
    forward(event) {
      heard.push(event);
      switch (event.type) {
        case 'message_start':
          return open(event);
        case 'content_block_start':
          indexes.set(event.index, count);
          return emit([{ ...event, index: count++ }]);
        case 'content_block_delta':
        case 'content_block_stop':
          return emit([{ ...event, index: indexes.get(event.index) ?? 0 }]);
        case 'message_delta':
          closing = { ...event, delta: { ...closing?.delta, ...event.delta } };
          return [];
        case 'message_stop':
          return [];
        default:
          return [event];
      }
    },
    showCall({ id: given, tool, input }) {
      const id = ids(given.replace(/^toolu_/, ''));
      const block = { type: 'mcp_tool_use', id, name: tool.name, server_name: tool.server ?? '', input: {} };
      return { id, events: whole(block, isJsonObject(input) ? input : {}) };
    },
    showResult: (id, { content, isError }) =>
      whole({ type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content }),
    endRound() {
      usage = addUsage(usage, anthropicWhole.together(heard).usage ?? {});
      heard = [];
      indexes = new Map();
      return closing?.delta.stop_reason ?? null;
    },
    extended() {
      const { content } = anthropicWhole.together(sent);
      return { ...request, messages: [...request.messages, { role: 'assistant', content }] };
    },
    finish(reason) {
      const delta = { stop_sequence: null, ...closing?.delta, stop_reason: reason };
      return [{ ...closing, type: 'message_delta', delta, usage }, { type: 'message_stop' }];
    },
  };
}

function inputDelta(index: number, input: unknown): AnthropicEvent {
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  return { type: 'content_block_delta', index, delta };
}

function idsIn({ messages }: AnthropicRequest): readonly string[] {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as readonly AnthropicBlock[]) : []))
    .flatMap((block) => (typeof block?.id === 'string' ? [block.id] : []));
}
