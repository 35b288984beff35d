import type { Plan } from '@quartermaster/core';
import { parseArguments } from '@quartermaster/core/dispatch';
import type { Read, Reader } from '@quartermaster/core/loop';
import { type AnthropicEvent, blocksOf, isToolUse, type ToolUseBlock } from './anthropic-shapes-2026-11.ts';
import { type HostedSearch, hostedSearches } from './hosted-searches.ts';
import { UpstreamEventError } from './upstream-event-error.ts';

/** A held call while its arguments arrive. */
interface HeldCall {
  readonly block: ToolUseBlock;
  /** Among the blocks of the round. */
  readonly index: number;
  json: string;
}

/**
 * Reads one round. A held call whose arguments are not JSON yet waits for the end of the stream: the block's stop comes before
 * the reason, and only the reason tells a call that was cut from one that is miswritten.
 */
export function readRound(holds: (name: string) => boolean, plan: Plan): Reader<AnthropicEvent> {
  const hosted = hostedSearches(plan);
  const open = new Map<number, HeldCall>();
  const waiting: HeldCall[] = [];
  let stopReason: string | null | undefined;
  let lastIndex = -1;

  const start = (event: AnthropicEvent & { type: 'content_block_start' }): readonly Read<AnthropicEvent>[] => {
    const block = event.content_block;
    lastIndex = event.index;
    if (hosted.keep(event)) return [];
    if (!isToolUse(block)) return [...hosted.release(block), event].map((part) => ({ kind: 'forward', part }));
    if (holds(block.name)) {
      open.set(event.index, { block, index: event.index, json: '' });
      return [];
    }
    return [
      { kind: 'passed', name: block.name },
      { kind: 'forward', part: event },
    ];
  };
  const stop = (index: number, call: HeldCall): readonly Read<AnthropicEvent>[] => {
    open.delete(index);
    const arguments_ = argumentsOf(call);
    if (arguments_ !== undefined) return [held(call, arguments_)];
    waiting.push(call);
    return [];
  };

  /** After a program has run on its own, a message may bring all its calls with its start. */
  const begin = (event: AnthropicEvent & { type: 'message_start' }): readonly Read<AnthropicEvent>[] => {
    const { message } = event;
    stopReason = message.stop_reason ?? stopReason;
    const blocks = blocksOf(message);
    if (blocks.length === 0) return [{ kind: 'forward', part: event }];
    const calls = blocks.filter(isToolUse);
    const content = blocks.filter((block) => !(isToolUse(block) && holds(block.name)));
    return [
      ...calls.flatMap(({ name }): readonly Read<AnthropicEvent>[] => (holds(name) ? [] : [{ kind: 'passed', name }])),
      { kind: 'forward', part: { ...event, message: { ...message, content } } },
      ...calls.flatMap((block) => (holds(block.name) ? [held({ block, index: 0, json: '' }, block.input ?? {})] : [])),
    ];
  };

  return {
    read(event) {
      switch (event.type) {
        case 'message_start':
          return begin(event);
        case 'content_block_start':
          return start(event);
        case 'content_block_delta': {
          if (hosted.keep(event)) return [];
          const call = open.get(event.index);
          if (call === undefined) return [{ kind: 'forward', part: event }];
          if (typeof event.delta.partial_json === 'string') call.json += event.delta.partial_json;
          return [];
        }
        case 'content_block_stop': {
          if (hosted.keep(event)) return [];
          const call = open.get(event.index);
          return call === undefined ? [{ kind: 'forward', part: event }] : stop(event.index, call);
        }
        case 'message_delta':
          stopReason = event.delta.stop_reason ?? stopReason;
          return [{ kind: 'close', part: event }];
        case 'message_stop':
          return [];
        case 'error':
          throw new UpstreamEventError(event.error);
        default:
          return [{ kind: 'forward', part: event }];
      }
    },
    end() {
      // A stream that ends without a reason, or inside a block, was cut as well.
      const isCut = stopReason === undefined || stopReason === null || CUT_REASONS.has(stopReason);
      const unanswered = hosted.unanswered();
      // After a pause the host goes on with its own search.
      const isPaused = stopReason === 'pause_turn';
      const events = isPaused ? unanswered.flatMap((search) => search.events) : [];
      const searches = isPaused ? [] : unanswered.map(heldSearch);
      const broken = new Set([...open.values(), ...searches.filter((_, index) => !isStopped(unanswered[index]))]);
      const left = [...searches, ...waiting, ...open.values()];
      return [
        ...events.map((part): Read<AnthropicEvent> => ({ kind: 'forward', part })),
        ...left.map((call): Read<AnthropicEvent> => {
          const arguments_ = broken.has(call) ? undefined : argumentsOf(call);
          if (arguments_ !== undefined) return held(call, arguments_);
          // Only the last block can be cut: the model went on after the others.
          const isLast = call.index === lastIndex;
          if ((isCut && isLast) || broken.has(call)) return { kind: 'cut', name: call.block.name };
          return held(call, call.json === '' ? (call.block.input ?? {}) : call.json);
        }),
      ];
    },
  };
}

/** A search of the host's as a call of ours. */
function heldSearch({ block, index, ownName, events }: HostedSearch): HeldCall {
  const json = events.map((event) =>
    event.type === 'content_block_delta' && typeof event.delta.partial_json === 'string'
      ? event.delta.partial_json
      : '',
  );
  return { block: { ...block, type: 'tool_use', name: ownName }, index, json: json.join('') };
}

function isStopped(search: HostedSearch | undefined): boolean {
  return search?.events.at(-1)?.type === 'content_block_stop';
}

function held(call: HeldCall, arguments_: unknown): Read<AnthropicEvent> {
  return { kind: 'held', call: { id: call.block.id, name: call.block.name, arguments: arguments_ } };
}

/** Undefined while it can't be told whether they are all there. Some hosts send them with the block's start. */
function argumentsOf(call: HeldCall): unknown {
  if (call.json.trim() !== '') return parseArguments(call.json);
  const { input } = call.block;
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0 ? input : undefined;
}

const CUT_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);
