import type { Call } from '@quartermaster/core';
import { uniqueIds } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicRequest,
  blocksOf,
} from './anthropic-shapes-2026-11.ts';

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

/** The ids that the client gets to see: new in the conversation, and of the API's patterns. Upstreams repeat theirs. */
interface ResponseIds {
  /** `toolu_…`, another one each time. */
  call(id: string): string;
  /** `srvtoolu_…`, the same for the same call. It may hold no hyphen. */
  search(call: Call): string;
  /** `mcptoolu_…`, the same for the same call. */
  server(call: Call): string;
}

export function responseIds(request: AnthropicRequest): ResponseIds {
  const taken = request.messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => (typeof block.id === 'string' ? [block.id] : [])),
  );
  const uniqueCall = uniqueIds({ taken, pattern: /^toolu_[a-zA-Z0-9_-]+$/, prefix: 'toolu_' });
  const uniqueSearch = uniqueIds({ taken, pattern: /^srvtoolu_[a-zA-Z0-9_]+$/, prefix: 'srvtoolu_' });
  const uniqueServer = uniqueIds({ taken, pattern: /^mcptoolu_/, prefix: 'mcptoolu_' });
  const known = new Map<Call, string>();
  const once = (call: Call, make: () => string): string => {
    const id = known.get(call) ?? make();
    known.set(call, id);
    return id;
  };
  return {
    call: (id) => uniqueCall(id === '' ? NO_ID : id),
    search: (call) =>
      once(call, () => {
        const bare = call.id.replace(/^(?:srv)?toolu_/, '').replaceAll('-', '_');
        return uniqueSearch(bare === '' ? NO_ID : bare);
      }),
    server: (call) => once(call, () => uniqueServer(call.id.replace(/^toolu_/, '') || NO_ID)),
  };
}

/** For hosts that give their calls none. */
const NO_ID = 'call';
