import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { Whole } from '@quartermaster/core/loop';
import { toInput, writtenInput } from '../internal/unreadable-input.ts';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicResponse,
  blocksOf,
} from './anthropic-shapes-2026-11.ts';
import { UpstreamEventError } from './reader.ts';
import { closingFields, openingFields, overwriteUsage } from './response-closing.ts';

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
 * The events that a stream brings a block in: clients that read text from deltas find it there. Arguments without a member bring
 * no delta, as in a stream: a call that the token limit has cut has none either, and only the stop reason says which it was.
 */
function blockEvents(block: AnthropicBlock, index: number): readonly AnthropicEvent[] {
  const { started, deltas } = takeApart(block);
  return [
    { type: 'content_block_start', index, content_block: started },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta }) as const),
    { type: 'content_block_stop', index },
  ];
}

/** A block as it begins, and the deltas that complete it. Blocks of other kinds begin whole. */
function takeApart(block: AnthropicBlock): { started: AnthropicBlock; deltas: readonly AnthropicBlock[] } {
  const { text, thinking, signature, citations, content } = block;
  switch (block.type) {
    case 'tool_use':
    case 'server_tool_use': {
      if (block.input === undefined || isEmpty(block.input)) break;
      const written = writtenInput(block.input);
      const json = typeof written === 'string' ? written : JSON.stringify(written);
      return { started: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: json }] };
    }
    case 'text': {
      if (typeof text !== 'string' || text === '') break;
      const cited = Array.isArray(citations) ? citations : [];
      const started = { ...block, text: '', ...(cited.length === 0 ? {} : { citations: [] }) };
      const citing = cited.map((citation) => ({ type: 'citations_delta', citation }));
      return { started, deltas: [{ type: 'text_delta', text }, ...citing] };
    }
    case 'thinking': {
      if (typeof thinking !== 'string' || typeof signature !== 'string') break;
      const started = { ...block, thinking: '', signature: '' };
      const said = thinking === '' ? [] : [{ type: 'thinking_delta', thinking }];
      return { started, deltas: [...said, { type: 'signature_delta', signature }] };
    }
    case 'compaction':
      if (typeof content !== 'string' || content === '') break;
      return { started: { ...block, content: '' }, deltas: [{ type: 'compaction_delta', content }] };
  }
  return { started: block, deltas: [] };
}

function isEmpty(input: unknown): boolean {
  return isJsonObject(input) && Object.keys(input).length === 0;
}

/** Puts content blocks together from events, as a client's stream reader does. */
interface BlockAssembler {
  add(event: AnthropicEvent): void;
  /** The blocks so far, in order. */
  blocks(): readonly AnthropicBlock[];
}

interface OpenBlock {
  block: AnthropicBlock;
  json: string;
}

export function assembleBlocks(): BlockAssembler {
  const list: OpenBlock[] = [];
  const byIndex = new Map<number, OpenBlock>();
  return {
    add(event) {
      if (event.type === 'message_start') {
        for (const [index, block] of blocksOf(event.message).entries()) {
          const whole = { block, json: '' };
          list.push(whole);
          byIndex.set(index, whole);
        }
      } else if (event.type === 'content_block_start') {
        const open = { block: event.content_block, json: '' };
        list.push(open);
        byIndex.set(event.index, open);
      } else if (event.type === 'content_block_delta') {
        const open = byIndex.get(event.index);
        if (open !== undefined) applyDelta(open, event.delta);
      }
    },
    blocks: () => list.map(finished),
  };
}

function finished({ block, json }: OpenBlock): AnthropicBlock {
  return json === '' ? block : { ...block, input: toInput(json) };
}

/** Deltas of kinds that are not known here are for the client alone. */
function applyDelta(open: OpenBlock, delta: AnthropicBlock): void {
  const { block } = open;
  switch (delta.type) {
    case 'text_delta':
      open.block = { ...block, text: joined(block.text, delta.text) };
      break;
    case 'thinking_delta':
      open.block = { ...block, thinking: joined(block.thinking, delta.thinking) };
      break;
    case 'signature_delta':
      open.block = { ...block, signature: delta.signature };
      break;
    case 'input_json_delta':
      open.json += typeof delta.partial_json === 'string' ? delta.partial_json : '';
      break;
    case 'citations_delta':
      open.block = {
        ...block,
        citations: [...(Array.isArray(block.citations) ? block.citations : []), delta.citation],
      };
      break;
    case 'compaction_delta':
      open.block = isJsonObject(delta) ? { ...block, content: joined(block.content, delta.content) } : block;
      break;
  }
}

function joined(before: unknown, added: unknown): string {
  return `${typeof before === 'string' ? before : ''}${typeof added === 'string' ? added : ''}`;
}
