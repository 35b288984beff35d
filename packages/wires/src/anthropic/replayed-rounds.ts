import type { Call } from '@quartermaster/core';
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
  isToolUse,
} from './anthropic-shapes-2026-11.ts';
import { idsIn, keyOf, type RoundEnd, splitMessages, textIn } from './anthropic-transcript.ts';
import { assembleBlocks } from './assemble-blocks.ts';

/** What the request has become: the client's messages, what it was sent since, and the calls and answers that it was not shown. */
export interface ReplayedRounds {
  /** The client was sent this. */
  add(event: AnthropicEvent): void;
  /** The model has made a call here; what comes of it is not known yet. */
  hold(call: Call): void;
  /** The client will be sent this call as these. */
  deliver(call: Call, ids: readonly string[]): void;
  /** The client is not shown this call, nor its answer. */
  hide(id: string, step: Step & { readonly kind: 'answer' }): void;
  messages(): readonly AnthropicMessage[];
  hidden(): HiddenContent | undefined;
}

/** In the order in which the model wrote. */
type Entry =
  | { readonly kind: 'held'; readonly call: Call }
  /** A call that the client gets at another place than the model made it. */
  | { readonly kind: 'moved'; readonly id: string }
  /** By its place in the client's content. */
  | { readonly kind: 'shown'; readonly place: number }
  | { readonly kind: 'hidden'; readonly block: AnthropicBlock }
  | { readonly kind: 'end'; readonly end: RoundEnd };

export function replayedRounds(request: AnthropicRequest): ReplayedRounds {
  const blocks = assembleBlocks();
  const moved = new Set<string>();
  let entries: readonly Entry[] = [];
  let count = 0;
  let results: AnthropicBlock[] = [];

  const replace = (call: Call, made: readonly Entry[]): void => {
    const isHeld = entries.some((entry) => entry.kind === 'held' && entry.call === call);
    if (isHeld) entries = entries.flatMap((entry) => (entry.kind === 'held' && entry.call === call ? made : [entry]));
    else entries = [...entries, ...made];
  };
  const endRound = (): void => {
    if (results.length > 0) entries = [...entries, { kind: 'end', end: { type: 'round_end', results } }];
    results = [];
  };
  /** The blocks that the client was sent, where the model wrote them. An empty text, as hosts open one and say nothing, would be refused. */
  const written = (): readonly { readonly entry: Entry; readonly block: AnthropicBlock }[] => {
    const sent = blocks.blocks();
    const byId = new Map(sent.flatMap((block) => (isToolUse(block) ? [[block.id, block] as const] : [])));
    return entries.flatMap((entry) => {
      const block = blockOf(entry, { sent, byId });
      return block === undefined || (isText(block) && block.text === '') ? [] : [{ entry, block }];
    });
  };

  return {
    add(event) {
      blocks.add(event);
      for (const block of startedBy(event)) {
        const isMoved = isToolUse(block) && moved.has(block.id);
        if (!isMoved) entries = [...entries, { kind: 'shown', place: count }];
        count += 1;
      }
    },
    hold(call) {
      entries = [...entries, { kind: 'held', call }];
    },
    deliver(call, ids) {
      for (const id of ids) moved.add(id);
      replace(
        call,
        ids.map((id) => ({ kind: 'moved', id })),
      );
    },
    hide(id, step) {
      const { arguments: given } = step.call;
      const input = typeof given === 'string' ? toInput(given) : (parseArguments(given) ?? {});
      replace(step.call, [{ kind: 'hidden', block: { type: 'tool_use', id, name: step.call.name, input } }]);
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
      const shown = all.filter(({ entry }) => entry.kind === 'shown' || entry.kind === 'moved');
      const places = shown.map(({ block }) => sent.indexOf(block));
      const isInOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
      if (isInOrder && shown.length === all.length) return undefined;
      const slots = all.map(({ entry, block }) =>
        entry.kind === 'shown' || entry.kind === 'moved' ? { shown: keyOf(block) } : { hidden: block as JsonObject },
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

function blockOf(
  entry: Entry,
  { sent, byId }: { readonly sent: readonly AnthropicBlock[]; readonly byId: ReadonlyMap<string, AnthropicBlock> },
): AnthropicBlock | undefined {
  switch (entry.kind) {
    case 'held':
      return undefined;
    case 'moved':
      return byId.get(entry.id);
    case 'shown':
      return sent[entry.place];
    case 'hidden':
      return entry.block;
    case 'end':
      return entry.end;
  }
}
