import { isJsonObject } from '@quartermaster/core/catalog';
import { toInput } from '../internal/unreadable-input.ts';
import { type AnthropicBlock, type AnthropicEvent, blocksOf } from './anthropic-shapes-2026-11.ts';

/** Puts content blocks together from events, as a client's stream reader does. */
export interface BlockAssembler {
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
