import type { AnthropicEvent, AnthropicMessage, AnthropicRequest } from './anthropic-shapes-2026-11.ts';

/** A block of a scripted response; a call's JSON may be incomplete. */
export type ScriptedBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly json: string };

/** What a host streams for one message: arguments in two pieces, as on the real wire. */
export function scriptMessage(
  blocks: readonly ScriptedBlock[],
  stopReason: string,
  usage: { readonly input_tokens: number; readonly output_tokens: number } = { input_tokens: 10, output_tokens: 5 },
): readonly AnthropicEvent[] {
  return [
    {
      type: 'message_start',
      message: {
        id: 'msg_01',
        type: 'message',
        role: 'assistant',
        model: 'some-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

export function text(value: string): ScriptedBlock {
  return { kind: 'text', text: value };
}

export function call(id: string, name: string, input: unknown): ScriptedBlock {
  return { kind: 'call', id, name, json: JSON.stringify(input) };
}

function blockEvents(block: ScriptedBlock, index: number): readonly AnthropicEvent[] {
  const stop = { type: 'content_block_stop', index } as const;
  if (block.kind === 'text') {
    return [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text: block.text } },
      stop,
    ];
  }
  const { id, name, json } = block;
  const middle = Math.floor(json.length / 2);
  return [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
    ...[json.slice(0, middle), json.slice(middle)].map(
      (piece): AnthropicEvent => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: piece },
      }),
    ),
    stop,
  ];
}

/** A request with this history. */
export function conversation(messages: readonly AnthropicMessage[], rest: object = {}): AnthropicRequest {
  return { model: 'some-model', max_tokens: 1000, ...rest, messages };
}
