import { parseArguments, type Step } from '@quartermaster/core';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicRequest,
  isText,
} from './anthropic-shapes-2026-11.ts';
import { assembleBlocks } from './assemble-blocks.ts';
import { toInput } from './unreadable-input.ts';

/** What the request has become: the client's messages, what it was sent since, and the answers that it was not shown. */
export interface ReplayedRounds {
  /** The client was sent this. */
  add(event: AnthropicEvent): void;
  /** The client was not shown this answer. */
  hide(id: string, step: Step & { readonly kind: 'answer' }): void;
  messages(): readonly AnthropicMessage[];
}

export function replayedRounds(request: AnthropicRequest): ReplayedRounds {
  const done: AnthropicMessage[] = [...request.messages];
  let blocks = assembleBlocks();
  const hidden: { readonly call: AnthropicBlock; readonly result: AnthropicBlock }[] = [];
  return {
    add: (event) => blocks.add(event),
    hide(id, step) {
      const { arguments: given } = step.call;
      const input = typeof given === 'string' ? toInput(given) : (parseArguments(given) ?? {});
      hidden.push({
        call: { type: 'tool_use', id, name: step.call.name, input },
        result: {
          type: 'tool_result',
          tool_use_id: id,
          content: step.text,
          ...(step.isError === true ? { is_error: true } : {}),
        },
      });
    },
    messages() {
      // An empty text block, as hosts open one and say nothing, would be refused.
      const sent = blocks.blocks().filter((block) => !isText(block) || block.text !== '');
      if (hidden.length === 0) return sent.length === 0 ? [...done] : [...done, { role: 'assistant', content: sent }];
      done.push(
        { role: 'assistant', content: [...sent, ...hidden.map(({ call }) => call)] },
        { role: 'user', content: hidden.map(({ result }) => result) },
      );
      hidden.length = 0;
      blocks = assembleBlocks();
      return [...done];
    },
  };
}
