import type { JsonObject } from '@quartermaster/core/catalog';
import { parseArguments, type Step } from '@quartermaster/core/dispatch';
import type { HiddenContent } from '@quartermaster/core/loop';
import { toInput } from '../internal/unreadable-input.ts';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
  isText,
} from './anthropic-shapes-2026-11.ts';
import { idsIn, keyOf, type RoundEnd, splitMessages, textIn } from './anthropic-transcript.ts';
import { assembleBlocks } from './whole.ts';

/** What the request has become: the client's messages, what it was sent since, and the calls and answers that it was not shown. */
interface ReplayedRounds {
  /** The client was sent this. */
  add(event: AnthropicEvent): void;
  /** The model has made a call here, and the client is shown neither it nor its answer. */
  hide(id: string, step: Step & { readonly kind: 'answer' }): void;
  messages(): readonly AnthropicMessage[];
  hidden(): HiddenContent | undefined;
}

/** In the order in which the model wrote. */
type Entry =
  /** By its place in the client's content. */
  | { readonly kind: 'shown'; readonly place: number }
  | { readonly kind: 'hidden'; readonly block: AnthropicBlock }
  | { readonly kind: 'end'; readonly end: RoundEnd };

export function replayedRounds(request: AnthropicRequest): ReplayedRounds {
  const blocks = assembleBlocks();
  const entries: Entry[] = [];
  let count = 0;
  let results: AnthropicBlock[] = [];

  const endRound = (): void => {
    if (results.length > 0) entries.push({ kind: 'end', end: { type: 'round_end', results } });
    results = [];
  };
  /** The blocks that the client was sent, where the model wrote them. An empty text, as hosts open one and say nothing, would be refused. */
  const written = (): readonly { readonly entry: Entry; readonly block: AnthropicBlock }[] => {
    const sent = blocks.blocks();
    return entries.flatMap((entry) => {
      const block = blockOf(entry, sent);
      return block === undefined || (isText(block) && block.text === '') ? [] : [{ entry, block }];
    });
  };

  return {
    add(event) {
      blocks.add(event);
      for (const _ of startedBy(event)) {
        entries.push({ kind: 'shown', place: count });
        count += 1;
      }
    },
    hide(id, step) {
      const { arguments: given } = step.call;
      const input = typeof given === 'string' ? toInput(given) : (parseArguments(given) ?? {});
      entries.push({ kind: 'hidden', block: { type: 'tool_use', id, name: step.call.name, input } });
      results.push({
        type: 'tool_result',
        tool_use_id: id,
        content: step.text,
        ...(step.isError === true ? { is_error: true } : {}),
      });
    },
    messages() {
      endRound();
      return [
        ...request.messages,
        ...splitMessages(
          { role: 'assistant' },
          written().map(({ block }) => block),
        ),
      ];
    },
    hidden() {
      endRound();
      const all = written();
      const sent = blocks.blocks();
      if (all.every(({ entry }) => entry.kind === 'shown')) return undefined;
      const slots = all.map(({ entry, block }) =>
        entry.kind === 'shown' ? { shown: keyOf(block) } : { hidden: block as JsonObject },
      );
      const calls = all.flatMap(({ entry }) => (entry.kind === 'hidden' ? [String(entry.block.id)] : []));
      return { shown: [{ ids: idsIn(sent), text: textIn(sent) }], calls, content: { slots } as unknown as JsonObject };
    },
  };
}

/** A message may bring blocks with its start. */
function startedBy(event: AnthropicEvent): readonly AnthropicBlock[] {
  if (event.type === 'message_start') return blocksOf(event.message);
  return event.type === 'content_block_start' ? [event.content_block] : [];
}

function blockOf(entry: Entry, sent: readonly AnthropicBlock[]): AnthropicBlock | undefined {
  switch (entry.kind) {
    case 'shown':
      return sent[entry.place];
    case 'hidden':
      return entry.block;
    case 'end':
      return entry.end;
  }
}
