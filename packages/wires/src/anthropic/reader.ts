import type { Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { parseArguments } from '@quartermaster/core/dispatch';
import { UpstreamError } from '@quartermaster/core/errors';
import { anthropicDefinedTool } from '@quartermaster/core/internal';
import { orderedReads, type Place, type Read, type Reader } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicErrorBody,
  type AnthropicEvent,
  blocksOf,
  isServerToolUse,
  isToolUse,
  type ServerToolUseBlock,
  type ToolUseBlock,
} from './anthropic-shapes-2026-11.ts';
import { ownSearch } from './open.ts';

/** A held call while its arguments arrive. */
interface HeldCall {
  readonly block: ToolUseBlock;
  /** Among the blocks of the round. */
  readonly index: number;
  readonly place: Place<AnthropicEvent>;
  json: string;
}

/**
 * Reads one round. A held call whose arguments are not JSON waits for the next block or the end of the stream: the block's stop
 * comes before the reason, and only what follows tells a call that was cut from one that is miswritten.
 */
export function readRound(holds: (name: string) => boolean, plan: Plan): Reader<AnthropicEvent> {
  const reads = orderedReads<AnthropicEvent>();
  const hosted = hostedSearches(plan);
  const open = new Map<number, HeldCall>();
  /** The call before the current block, when its arguments are not JSON. */
  let unread: HeldCall | undefined;
  let stopReason: string | null | undefined;
  let hasClientCalls = false;

  const forward = (part: AnthropicEvent): readonly Read<AnthropicEvent>[] => {
    reads.add({ kind: 'forward', part });
    return reads.take();
  };
  const start = (event: AnthropicEvent & { type: 'content_block_start' }): readonly Read<AnthropicEvent>[] => {
    const block = event.content_block;
    // The model went on: the call before was not cut.
    if (unread !== undefined) unread.place.fill(held(unread, textOf(unread)));
    unread = undefined;
    if (hosted.start(event, reads.reserve)) return reads.take();
    hosted.answer(block);
    if (!isToolUse(block)) return forward(event);
    if (!holds(block.name)) {
      hasClientCalls = true;
      return [{ kind: 'passed', name: block.name }, ...forward(event)];
    }
    open.set(event.index, { block, index: event.index, place: reads.reserve(), json: '' });
    return reads.take();
  };
  const stop = (call: HeldCall): readonly Read<AnthropicEvent>[] => {
    open.delete(call.index);
    const arguments_ = argumentsOf(call);
    if (arguments_ === undefined) unread = call;
    else call.place.fill(held(call, arguments_));
    return reads.take();
  };

  /** After a program has run on its own, a message may bring all its calls with its start. */
  const begin = (event: AnthropicEvent & { type: 'message_start' }): readonly Read<AnthropicEvent>[] => {
    const { message } = event;
    stopReason = message.stop_reason ?? stopReason;
    const blocks = blocksOf(message);
    const first = blocks.findIndex((block) => isToolUse(block) && holds(block.name));
    const passed = blocks.flatMap((block): readonly Read<AnthropicEvent>[] =>
      isToolUse(block) && !holds(block.name) ? [{ kind: 'passed', name: block.name }] : [],
    );
    if (first < 0) return [...passed, ...forward(event)];
    // What stands before the first held call opens the message; the rest follows as blocks of their own.
    const opening = { ...event, message: { ...message, content: blocks.slice(0, first) } };
    return [
      ...passed,
      ...forward(opening),
      ...blocks.slice(first).flatMap((block, place): readonly Read<AnthropicEvent>[] => {
        if (isToolUse(block) && holds(block.name)) return [held({ block }, block.input ?? {})];
        return wholeBlock(block, first + place).map((part) => ({ kind: 'forward', part }));
      }),
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
          if (hosted.add(event)) return [];
          const call = open.get(event.index);
          if (call === undefined) return forward(event);
          if (typeof event.delta.partial_json === 'string') call.json += event.delta.partial_json;
          return [];
        }
        case 'content_block_stop': {
          if (hosted.add(event)) return [];
          const call = open.get(event.index);
          return call === undefined ? forward(event) : stop(call);
        }
        case 'message_delta':
          stopReason = event.delta.stop_reason ?? stopReason;
          return [{ kind: 'close', part: event }];
        case 'message_stop':
          return [];
        case 'error':
          throw new UpstreamEventError(event.error);
        default:
          return forward(event);
      }
    },
    end() {
      // A stream that ends without a reason, or inside a block, was cut as well.
      const isCut = stopReason === undefined || stopReason === null || CUT_REASONS.has(stopReason);
      const finish = (call: HeldCall, isBroken: boolean): void => {
        const arguments_ = isBroken ? undefined : argumentsOf(call);
        if (arguments_ !== undefined) call.place.fill(held(call, arguments_));
        else if (isBroken || isCut) call.place.fill({ kind: 'cut', name: call.block.name });
        else call.place.fill(held(call, textOf(call)));
      };
      for (const search of hosted.unanswered()) {
        // Goes on to the client as it came: after a pause and beside a call of the client's a search is answered in the next response.
        const isLater = search.isSearch && hasClientCalls && !isCut && isStopped(search);
        if (stopReason === 'pause_turn' || isLater) hosted.release(search);
        else finish(heldSearch(search), !isStopped(search));
      }
      if (unread !== undefined) finish(unread, false);
      for (const call of open.values()) finish(call, true);
      return reads.take();
    },
  };
}

/** A block from start to stop. */
function wholeBlock(block: AnthropicBlock, index: number): readonly AnthropicEvent[] {
  const start = { type: 'content_block_start', index } as const;
  const stop = { type: 'content_block_stop', index } as const;
  if (!isToolUse(block)) return [{ ...start, content_block: block }, stop];
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) };
  return [{ ...start, content_block: { ...block, input: {} } }, { type: 'content_block_delta', index, delta }, stop];
}

/** A search of the host's, or a call that it made up, as a call of ours. */
function heldSearch({ block, index, ownName, events, place }: HostedSearch): HeldCall {
  const json = events.map((event) =>
    event.type === 'content_block_delta' && typeof event.delta.partial_json === 'string'
      ? event.delta.partial_json
      : '',
  );
  return { block: { ...block, type: 'tool_use', name: ownName }, index, place, json: json.join('') };
}

function isStopped(search: HostedSearch): boolean {
  return search.events.at(-1)?.type === 'content_block_stop';
}

function held(call: Pick<HeldCall, 'block'>, arguments_: unknown): Read<AnthropicEvent> {
  return { kind: 'held', call: { id: call.block.id, name: call.block.name, arguments: arguments_ } };
}

/** Undefined while it can't be told whether they are all there. Some hosts send them with the block's start. */
function argumentsOf(call: HeldCall): unknown {
  if (call.json.trim() !== '') return parseArguments(call.json);
  const { input } = call.block;
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0 ? input : undefined;
}

/** Arguments that are not JSON, as the model wrote them. */
function textOf({ json, block }: HeldCall): unknown {
  return json === '' ? (block.input ?? {}) : json;
}

const CUT_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/** A search that a host shows as run by itself, and its events so far; or a call of a server tool that the host does not run. */
interface HostedSearch {
  readonly block: ServerToolUseBlock;
  readonly index: number;
  /** By which it is answered in the host's place: our search tool's, or a made-up call's own, which is refused. */
  readonly ownName: string;
  readonly isSearch: boolean;
  readonly events: AnthropicEvent[];
  /** Where it stands among what the model wrote. */
  readonly place: Place<AnthropicEvent>;
}

/**
 * Keeps searches back until the host's result comes. Models imitate the blocks of earlier searches, and their hosts pass that on
 * though nothing searches: what has no result at the end of the round is ours to answer. The same goes for calls of other server
 * tools in a request that declares none.
 */
interface HostedSearches {
  /** Whether a search begins with this event; it is then kept, at a place of its own. */
  start(event: BlockStart, reserve: () => Place<AnthropicEvent>): boolean;
  /** Whether the event belongs to one that is kept. */
  add(event: AnthropicEvent & { readonly type: 'content_block_delta' | 'content_block_stop' }): boolean;
  /** Releases the search that this block is the result of, or the program that has made this call: it runs at the host. */
  answer(block: AnthropicBlock): void;
  /** The host's own search goes on to the client as it came. */
  release(search: HostedSearch): void;
  /** Those without a result. */
  unanswered(): readonly HostedSearch[];
}

type BlockStart = AnthropicEvent & { readonly type: 'content_block_start' };

function hostedSearches(plan: Plan): HostedSearches {
  const names = plan.kind === 'defer' ? plan.own.filter(({ role }) => role === 'search').map(({ name }) => name) : [];
  let kept: readonly HostedSearch[] = [];
  const release = (search: HostedSearch): void => {
    kept = kept.filter((one) => one !== search);
    search.place.fill(...search.events.map((part) => ({ kind: 'forward', part }) as const));
  };
  return {
    start(event, reserve) {
      const { content_block: block, index } = event;
      if (!isServerToolUse(block)) return false;
      const own = ownSearch(plan, block.name)?.name;
      const isSearch = own !== undefined && isSearchName(block.name, names);
      if (own === undefined || (!isSearch && declaresServerTools(plan))) return false;
      kept = [
        ...kept,
        { block, index, ownName: isSearch ? own : block.name, isSearch, events: [event], place: reserve() },
      ];
      return true;
    },
    add(event) {
      const search = kept.find(({ index }) => index === event.index);
      search?.events.push(event);
      return search !== undefined;
    },
    answer(block) {
      const program = isJsonObject(block.caller) ? block.caller.tool_id : undefined;
      for (const one of kept) if (one.block.id === block.tool_use_id || one.block.id === program) release(one);
    },
    release,
    unanswered: () => kept,
  };
}

/** Tools that the host runs: what Anthropic defines and the client does not run. */
function declaresServerTools({ snapshot }: Plan): boolean {
  return snapshot.tools.some(
    ({ extras: { providerType } }) => providerType !== undefined && anthropicDefinedTool(providerType) === undefined,
  );
}

function isSearchName(name: string, own: readonly string[]): boolean {
  return own.includes(name) || name.startsWith('tool_search_tool');
}

/** An `error` event in the middle of an upstream's stream. Carries the error's body, so that a surface can pass it on as it came. */
export class UpstreamEventError extends UpstreamError {
  override readonly name = 'UpstreamEventError';
  override readonly body: AnthropicErrorBody;

  constructor(body: AnthropicErrorBody) {
    super({
      code: 'refused',
      message: `The upstream ended its stream with ${body.type}: ${body.message}`,
      context: { type: body.type },
    });
    this.body = body;
  }
}
