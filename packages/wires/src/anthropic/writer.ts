import type { Call, Plan } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Step } from '@quartermaster/core/dispatch';
import { memoized, ownNamed, remainingTokens } from '@quartermaster/core/internal';
import { type Ending, uniqueIds, type Writer } from '@quartermaster/core/loop';
import type { ServerTool } from '../dialect.ts';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  blocksOf,
  isToolUse,
} from './anthropic-shapes-2026-11.ts';
import { replayedRounds } from './anthropic-transcript.ts';
import { engineIn, ownSearch, SEARCH_TOOL_NAMES, type SearchTool, searchInput, splitTools } from './open.ts';
import { forcedName, forcedSearch, freeChoice } from './render.ts';
import { type ErrorCodes, searchError, unreachable } from './search-error.ts';
import type { ServerCalls } from './server-calls.ts';
import { ResponseClosing, ResponseUsage } from './whole.ts';

export interface WriterOptions {
  readonly errorCodes: ErrorCodes;
  readonly servers?: ServerCalls;
}

/**
 * Writes one message over all rounds: indexes without gaps, one open block at a time, searches shown as the provider's
 * own blocks, usage summed.
 */
export function writeResponse(
  request: AnthropicRequest,
  plan: Plan,
  options: WriterOptions,
): Writer<AnthropicRequest, AnthropicEvent> {
  const ids = responseIds(request);
  const usage = new ResponseUsage();
  const closing = new ResponseClosing();
  const replay = replayedRounds(request);
  const blocks = new BlockSequence();
  let isOpen = false;
  /** Whether the first round stated its end at its start. */
  let isClosedAtStart = false;
  /** From the upstream's indexes of this round to the client's. */
  let indexes = new Map<number, number>();
  let searches = 0;
  let serverCalls = 0;
  /** Answers to searches of the previous response. */
  let late: readonly AnthropicBlock[] = [];
  /** Whether a call waits for the client, rather than for a program at the host. */
  let waits = false;
  /** Where the host runs programs, as the latest round reported it. */
  let container: unknown;

  const emit = (events: readonly AnthropicEvent[]): readonly AnthropicEvent[] => {
    for (const event of events) replay.add(event);
    return events;
  };
  /** Blocks at the start of a round: the first round keeps them there; in later rounds they follow what was sent. */
  const openWith = (message: AnthropicResponse): readonly AnthropicEvent[] => {
    const content = blocksOf(message).map((block) => clientBlock(block, ids.call));
    waits ||= content.some(isClients);
    if (isOpen) return content.flatMap((block) => wholeBlock(block, blocks));
    isOpen = true;
    isClosedAtStart = content.length > 0 && typeof message.stop_reason === 'string';
    blocks.skip(content.length);
    const begun = [...(options.servers?.opening ?? []), ...late].flatMap((block) => blocks.whole(block));
    return [{ type: 'message_start', message: { ...message, content } }, ...begun];
  };
  const serverTool = (name: string): ServerTool | undefined => options.servers?.resolve(name.trim());
  const open = (): readonly AnthropicEvent[] => openWith(emptyMessage(request));

  return {
    forward(event) {
      switch (event.type) {
        case 'message_start':
          indexes = new Map();
          usage.begin(event.message.usage);
          closing.begin(event.message);
          container = event.message.container ?? container;
          return emit(openWith(event.message));
        case 'ping':
          return isOpen ? [event] : [];
        case 'content_block_start': {
          const block = clientBlock(event.content_block, ids.call);
          waits ||= isClients(block);
          const started = [...open(), ...blocks.start(block)];
          indexes.set(event.index, blocks.openIndex ?? 0);
          return emit(started);
        }
        case 'content_block_delta': {
          const index = indexes.get(event.index);
          return index === undefined ? [] : emit([{ ...event, index }]);
        }
        case 'content_block_stop': {
          const index = indexes.get(event.index);
          return index === blocks.openIndex ? emit(blocks.stop()) : [];
        }
        default:
          return [...open(), event];
      }
    },
    close(event) {
      if (event.type !== 'message_delta') return;
      usage.report(event.usage);
      closing.add(event);
      container = event.delta.container ?? container;
    },
    shows: (call) => serverTool(call.name) !== undefined,
    hold(call) {
      const tool = serverTool(call.name);
      if (tool !== undefined) {
        serverCalls += 1;
        const { name, server: server_name } = tool;
        const block = { type: 'mcp_tool_use', id: ids.server(call), name, server_name, input: {} };
        return emit([...open(), ...blocks.whole(block, isJsonObject(call.arguments) ? call.arguments : {})]);
      }
      if (!isSearch(call, plan)) return emit(open());
      searches += 1;
      const { name, engine } = searchShownAs(request, plan, call.name.trim());
      const block = { type: 'server_tool_use', id: ids.search(call), name, input: {}, caller: DIRECT };
      return emit([...open(), ...blocks.whole(block, searchInput(engine, call.arguments))]);
    },
    deliver(step) {
      if (step.kind === 'answer') {
        if (!isSearch(step.call, plan)) replay.hide(ids.call(step.call.id), step);
        return [];
      }
      waits = true;
      return emit(
        step.calls.flatMap(({ id, name, arguments: input }) =>
          blocks.whole({ type: 'tool_use', id: ids.call(id), name, input: {}, caller: DIRECT }, input),
        ),
      );
    },
    answer(steps) {
      const results = steps.flatMap((step) => {
        if (step.kind !== 'answer') return [];
        if (serverTool(step.call.name) !== undefined) return blocks.whole(serverResult(ids.server(step.call), step));
        return isSearch(step.call, plan) ? blocks.whole(resultBlock(step, ids.search(step.call), options)) : [];
      });
      return emit([...open(), ...results]);
    },
    extend() {
      indexes = new Map();
      const left = tokensLeft(request, usage.written());
      const extended = { ...request, ...left, ...inContainer(request, container), messages: replay.messages() };
      return relax(extended, serverCalls > 0);
    },
    resume(steps) {
      searches += steps.length;
      late = steps.flatMap((step) => (step.kind === 'answer' ? [resultBlock(step, step.call.id, options)] : []));
      return { ...request, messages: [...request.messages, { role: 'assistant', content: late }] };
    },
    hidden: () => replay.hidden(),
    finish(ending) {
      const closed = closing.merged;
      if (isClosedAtStart && closed === undefined) return emit([...blocks.stop(), { type: 'message_stop' }]);
      const delta = {
        stop_sequence: null,
        ...closed?.delta,
        stop_reason: reasonFor({ ending, waits }, closed?.delta.stop_reason),
      };
      return emit([
        ...open(),
        ...blocks.stop(),
        { ...closed, type: 'message_delta', delta, usage: usage.total(searches) },
        { type: 'message_stop' },
      ]);
    },
  };
}

const DIRECT = { type: 'direct' } as const;

/** A call gets its own id; everything else in it is what the host wrote. */
function clientBlock(block: AnthropicBlock, idOf: (id: string) => string): AnthropicBlock {
  return isToolUse(block) ? { ...block, id: idOf(block.id) } : block;
}

function wholeBlock(block: AnthropicBlock, blocks: BlockSequence): readonly AnthropicEvent[] {
  return isToolUse(block) ? blocks.whole({ ...block, input: {} }, block.input) : blocks.whole(block);
}

/** A call made by a program may already be answered, by the program's own result. */
function isClients(block: AnthropicBlock): boolean {
  const { caller } = block;
  return isToolUse(block) && !(isJsonObject(caller) && caller.type !== 'direct');
}

type AnswerStep = Step & { readonly kind: 'answer' };

function resultBlock(step: AnswerStep, id: string, options: WriterOptions): AnthropicBlock {
  return { type: 'tool_search_tool_result', tool_use_id: id, content: contentOf(step, options) };
}

function contentOf(step: AnswerStep, options: WriterOptions): AnthropicBlock {
  const { found } = step;
  // A refusal: the call was not a search that could run.
  if (found === undefined) return searchError(options.errorCodes, { code: 'invalid_arguments', message: step.text });
  if (found.kind === 'failure') return searchError(options.errorCodes, found);
  const { names } = found;
  const down = found.kind === 'search' ? (found.unavailable ?? []) : [];
  // References can't say why there are none, and every client keeps the error's message.
  if (names.length === 0 && down.length > 0) return searchError(options.errorCodes, unreachable(down));
  return {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
  };
}

/** A server's result. A refusal is just text. */
function serverResult(id: string, { value, text, isError = false }: AnswerStep): AnthropicBlock {
  const content = Array.isArray(value) ? value : [{ type: 'text', text, citations: null }];
  return { type: 'mcp_tool_result', tool_use_id: id, is_error: isError, content };
}

function isSearch(call: Call, plan: Plan): boolean {
  return ownNamed(plan, call.name.trim())?.role === 'search';
}

/** The name that the client declared; a client that declared none sees the one whose input ours takes. */
function searchShownAs(request: AnthropicRequest, plan: Plan, name: string): SearchTool {
  const own = ownSearch(plan, name);
  const engine = own === undefined ? 'bm25' : engineIn(own);
  const declared = splitTools(request).search.map(({ tool }) => tool);
  const shown = declared.find((tool) => tool.name === name) ?? declared.find((tool) => tool.engine === engine);
  return shown ?? declared[0] ?? { engine, name: SEARCH_TOOL_NAMES[engine] };
}

/** A thinking budget must stay below the limit, so the limit stays above it. */
function tokensLeft(request: AnthropicRequest, written: number): Pick<AnthropicRequest, 'max_tokens'> {
  const { thinking } = request;
  const budget = isJsonObject(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  const left = remainingTokens(request.max_tokens, written, budget + 1);
  return left === undefined ? {} : { max_tokens: left };
}

/** A program goes on where its files are: otherwise the host would open another container for the next round. */
function inContainer(request: AnthropicRequest, container: unknown): Partial<AnthropicRequest> {
  if (!isJsonObject(container) || typeof container.id !== 'string') return {};
  const { id } = container;
  return { container: isJsonObject(request.container) ? { ...request.container, id } : id };
}

/** The forced tool has been called: what comes next is the model's choice. */
function relax(request: AnthropicRequest, hasServerCalls: boolean): AnthropicRequest {
  const name = forcedName(request);
  const isSearch = forcedSearch(request) !== undefined;
  const isForced = name !== undefined || request.tool_choice?.type === 'any';
  if (!isForced || !(isSearch || hasServerCalls) || request.tool_choice === undefined) return request;
  return { ...request, tool_choice: freeChoice(request.tool_choice) };
}

/** The upstream's own reason counts if it cut the model off, whatever calls there are. */
function reasonFor(
  { ending, waits }: { readonly ending: Ending; readonly waits: boolean },
  reason: string | null | undefined,
): string {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded' || reason === 'refusal') return reason;
  if (ending === 'calls') return waits ? 'tool_use' : (reason ?? 'tool_use');
  if (ending === 'pause') return 'pause_turn';
  return reason === undefined || reason === null || reason === 'tool_use' ? 'end_turn' : reason;
}

/** For an upstream that does not open its stream. */
function emptyMessage(request: AnthropicRequest): AnthropicResponse {
  return {
    id: `msg_${request.messages.length}`,
    type: 'message',
    role: 'assistant',
    model: request.model ?? '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

/** The content blocks of one response: numbered from 0 without gaps, one open at a time, as the SDK's reader needs them. */
class BlockSequence {
  /** The open block. */
  openIndex: number | undefined;
  #nextIndex = 0;

  /** How many blocks came with the message's start. */
  skip(count: number): void {
    this.#nextIndex += count;
  }

  /** Opens a block, and closes the previous one. */
  start(block: AnthropicBlock): readonly AnthropicEvent[] {
    const stopped = this.stop();
    const index = this.#nextIndex;
    this.openIndex = index;
    this.#nextIndex += 1;
    return [...stopped, { type: 'content_block_start', index, content_block: block }];
  }

  /** Closes the open block. */
  stop(): readonly AnthropicEvent[] {
    const index = this.openIndex;
    this.openIndex = undefined;
    return index === undefined ? [] : [{ type: 'content_block_stop', index }];
  }

  /** A block from start to stop, with its input in between if it has one. */
  whole(block: AnthropicBlock, input?: unknown): readonly AnthropicEvent[] {
    const started = this.start(block);
    if (input === undefined) return [...started, ...this.stop()];
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    return [...started, { type: 'content_block_delta', index: this.#nextIndex - 1, delta }, ...this.stop()];
  }
}

/** The ids that the client sees: new in the conversation, and in the API's format. Upstreams reuse theirs. */
interface ResponseIds {
  /** `toolu_…`, a new one each time. */
  call(id: string): string;
  /** `srvtoolu_…`, the same for the same call. It must not contain a hyphen. */
  search(call: Call): string;
  /** `mcptoolu_…`, the same for the same call. */
  server(call: Call): string;
}

function responseIds(request: AnthropicRequest): ResponseIds {
  const taken = request.messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => (typeof block.id === 'string' ? [block.id] : [])),
  );
  const uniqueCall = uniqueIds({ taken, pattern: /^toolu_[a-zA-Z0-9_-]+$/, prefix: 'toolu_' });
  const uniqueSearch = uniqueIds({ taken, pattern: /^srvtoolu_[a-zA-Z0-9_]+$/, prefix: 'srvtoolu_' });
  const uniqueServer = uniqueIds({ taken, pattern: /^mcptoolu_/, prefix: 'mcptoolu_' });
  return {
    call: (id) => uniqueCall(id || NO_ID),
    search: memoized(({ id }) => uniqueSearch(id.replace(/^(?:srv)?toolu_/, '').replaceAll('-', '_') || NO_ID)),
    server: memoized(({ id }) => uniqueServer(id.replace(/^toolu_/, '') || NO_ID)),
  };
}

/** For hosts that give their calls no ids. */
const NO_ID = 'call';
