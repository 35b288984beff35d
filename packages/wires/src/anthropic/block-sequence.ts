import type { AnthropicBlock, AnthropicEvent } from './anthropic-shapes-2026-11.ts';

/** The content blocks of one response: numbered from 0 without a gap, one open at a time, as the SDK's reader needs them. */
export interface BlockSequence {
  /** The block that is open. */
  readonly openIndex: number | undefined;
  /** So many blocks came with the message's start. */
  skip(count: number): void;
  /** Opens a block, and closes the one before. */
  start(block: AnthropicBlock): readonly AnthropicEvent[];
  /** Closes the open block. */
  stop(): readonly AnthropicEvent[];
  /** A block from start to stop, its input in between where it has one. */
  whole(block: AnthropicBlock, input?: unknown): readonly AnthropicEvent[];
}

export function blockSequence(): BlockSequence {
  let nextIndex = 0;
  let openIndex: number | undefined;
  const sequence: BlockSequence = {
    get openIndex() {
      return openIndex;
    },
    skip(count) {
      nextIndex += count;
    },
    start(block) {
      const stopped = sequence.stop();
      openIndex = nextIndex;
      nextIndex += 1;
      return [...stopped, { type: 'content_block_start', index: openIndex, content_block: block }];
    },
    stop() {
      if (openIndex === undefined) return [];
      const index = openIndex;
      openIndex = undefined;
      return [{ type: 'content_block_stop', index }];
    },
    whole(block, input) {
      const started = sequence.start(block);
      if (input === undefined) return [...started, ...sequence.stop()];
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      const given: AnthropicEvent = { type: 'content_block_delta', index: nextIndex - 1, delta };
      return [...started, given, ...sequence.stop()];
    },
  };
  return sequence;
}
