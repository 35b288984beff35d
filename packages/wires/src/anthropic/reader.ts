import type { Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { parseArguments } from '@quartermaster/core/dispatch';
import { anthropicDefinedTool } from '@quartermaster/core/internal';
import { orderedReads, type Place, type Read, type Reader } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  blocksOf,
  isServerToolUse,
  isToolUse,
  type ServerToolUseBlock,
  type ToolUseBlock,
} from './anthropic-shapes-2026-11.ts';
import { ownSearch } from './open.ts';
import { blockEvents, UpstreamEventError } from './whole.ts';

/** A held call whose arguments are arriving. */
interface HeldCall {
  readonly block: ToolUseBlock;
  /** Its index among the blocks of the round. */
  readonly index: number;
  readonly place: Place<AnthropicEvent>;
  json: string;
}

/**
 * Reads one round. A held call whose arguments are not JSON waits for the next block or the end of the stream: the block's stop
 * comes before the reason, and only what follows distinguishes a cut call from a malformed one.
 */
export function readRound(holds: (name: string) => boolean, plan: Plan): Reader<AnthropicEvent> {
  const reads = orderedReads<AnthropicEvent>();
  const hosted = new HostedSearches(plan);
  const open = new Map<number, HeldCall>();
  /** The call before the current block, if its arguments are not JSON. */
  let unread: HeldCall | undefined;
  let stopReason: string | null | undefined;
  let hasClientCalls = false;

  const forward = (part: AnthropicEvent): readonly Read<AnthropicEvent>[] => {
    reads.add({ kind: 'forward', part });
    return reads.take();
  };
  const start = (event: AnthropicEvent & { type: 'content_block_start' }): readonly Read<AnthropicEvent>[] => {
    const block = event.content_block;
    // The model continued: the previous call was not cut.
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

  /** After a program has run on its own, a message may contain all its calls at its start. */
  const begin = (event: AnthropicEvent & { type: 'message_start' }): readonly Read<AnthropicEvent>[] => {
    const { message } = event;
    stopReason = message.stop_reason ?? stopReason;
    const blocks = blocksOf(message);
    const first = blocks.findIndex((block) => isToolUse(block) && holds(block.name));
    const passed = blocks.flatMap((block): readonly Read<AnthropicEvent>[] =>
      isToolUse(block) && !holds(block.name) ? [{ kind: 'passed', name: block.name }] : [],
    );
    if (first < 0) return [...passed, ...forward(event)];
    // Everything before the first held call opens the message; the rest follows as separate blocks.
    const opening = { ...event, message: { ...message, content: blocks.slice(0, first) } };
    return [
      ...passed,
      ...forward(opening),
      ...blocks.slice(first).flatMap((block, place): readonly Read<AnthropicEvent>[] => {
        if (isToolUse(block) && holds(block.name)) return [held({ block }, block.input ?? {})];
        return blockEvents(block, first + place).map((part) => ({ kind: 'forward', part }));
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
      for (const search of hosted.unanswered) {
        // Forwarded to the client: after a pause, or along with one of the client's calls, a search is answered in the next response.
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

/** A search of the host, or a call that it made up, as one of our calls. */
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

/** Undefined while it is unknown whether they are complete. Some hosts send them with the block's start. */
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
  /** The tool that answers it in the host's place: our search tool; or the call's own name, if search is off or the call is made up: it is refused. */
  readonly ownName: string;
  readonly isSearch: boolean;
  readonly events: AnthropicEvent[];
  /** Its position in what the model wrote. */
  readonly place: Place<AnthropicEvent>;
}

type BlockStart = AnthropicEvent & { readonly type: 'content_block_start' };

/**
 * Holds searches until the host's result arrives. Models imitate the blocks of earlier searches, and hosts forward that
 * although nothing searches: a search without a result at the end of the round is ours to answer. The same applies to calls of other
 * server tools in a request that declares none.
 */
class HostedSearches {
  readonly #plan: Plan;
  readonly #names: readonly string[];
  readonly #isOff: boolean;
  #kept: readonly HostedSearch[] = [];

  constructor(plan: Plan) {
    const own = plan.kind === 'defer' ? plan.own : [];
    this.#plan = plan;
    this.#names = own.filter(({ role }) => role === 'search').map(({ name }) => name);
    this.#isOff = plan.kind === 'defer' && plan.pastSearches !== undefined;
  }

  /** Those without a result. */
  get unanswered(): readonly HostedSearch[] {
    return this.#kept;
  }

  /** Whether a search begins with this event; it is then held at its own position. */
  start(event: BlockStart, reserve: () => Place<AnthropicEvent>): boolean {
    const { content_block: block, index } = event;
    if (!isServerToolUse(block)) return false;
    const own = ownSearch(this.#plan, block.name)?.name ?? (this.#isOff ? block.name : undefined);
    const isSearch = own !== undefined && isSearchName(block.name, this.#names);
    if (own === undefined || (!isSearch && declaresServerTools(this.#plan))) return false;
    const ownName = isSearch ? own : block.name;
    this.#kept = [...this.#kept, { block, index, ownName, isSearch, events: [event], place: reserve() }];
    return true;
  }

  /** Whether the event belongs to a held search. */
  add(event: AnthropicEvent & { readonly type: 'content_block_delta' | 'content_block_stop' }): boolean {
    const search = this.#kept.find(({ index }) => index === event.index);
    search?.events.push(event);
    return search !== undefined;
  }

  /** Releases the search that this block is the result of, or the program that made this call: it runs at the host. */
  answer(block: AnthropicBlock): void {
    const program = isJsonObject(block.caller) ? block.caller.tool_id : undefined;
    for (const one of this.#kept) {
      if (one.block.id === block.tool_use_id || one.block.id === program) this.release(one);
    }
  }

  /** The host's own search is forwarded unchanged. */
  release(search: HostedSearch): void {
    this.#kept = this.#kept.filter((one) => one !== search);
    search.place.fill(...search.events.map((part) => ({ kind: 'forward', part }) as const));
  }
}

/** Tools that the host runs: those that Anthropic defines and the client does not run. */
function declaresServerTools({ snapshot }: Plan): boolean {
  return snapshot.tools.some(
    ({ extras: { providerType } }) => providerType !== undefined && anthropicDefinedTool(providerType) === undefined,
  );
}

function isSearchName(name: string, own: readonly string[]): boolean {
  return own.includes(name) || name.startsWith('tool_search_tool');
}
