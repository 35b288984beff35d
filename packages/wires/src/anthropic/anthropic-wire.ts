import type { Call, Plan } from '@quartermaster/core';
import type { Policy } from '@quartermaster/core/catalog';
import { checkOptionNames, readChoice } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import { type AnthropicEvent, type AnthropicRequest, blocksOf, isServerToolUse } from './anthropic-shapes-2026-11.ts';
import { anthropicTranscript } from './anthropic-transcript.ts';
import { openRequest, ownSearch } from './open.ts';
import { readRound } from './reader.ts';
import { readHistory, recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import type { ErrorCodes } from './search-error.ts';
import { renderServerCalls, type ServerCalls } from './server-calls.ts';
import { writeResponse } from './writer.ts';

/** Options of the Messages API's wire. */
export interface AnthropicWireOptions {
  /** Which codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
  /** What it means that a tool has no `defer_loading`. The API sends it in full; a library may leave it to the gate. @default never */
  readonly missingDeferral?: Policy;
  /**
   * What deferred tools without any search tool mean: the `client` searches by itself, as the API has it, or the search is
   * `ours` to add.
   * @default client
   */
  readonly deferredAlone?: 'client' | 'ours';
  /** The search tool that a provider is asked for in the hosted form when the client declared none. @default bm25 */
  readonly hostedEngine?: 'regex' | 'bm25';
  /** Tools of MCP servers that are called inside the response. @default none are */
  readonly servers?: ServerCalls;
}

/** How the Messages API's wire works, unless the options say otherwise. */
const ANTHROPIC_WIRE_DEFAULTS: Required<Omit<AnthropicWireOptions, 'servers'>> = {
  errorCodes: 'typed',
  missingDeferral: 'never',
  deferredAlone: 'client',
  hostedEngine: 'bm25',
};

/** The Messages API, in the client's direction and in the upstream's. */
export function createAnthropicWire(options: AnthropicWireOptions = {}): Wire<AnthropicRequest, AnthropicEvent> {
  checkOptionNames('createAnthropicWire', options, { ...ANTHROPIC_WIRE_DEFAULTS, servers: true });
  const settings = { ...ANTHROPIC_WIRE_DEFAULTS, ...options };
  const { servers } = settings;
  readChoice('errorCodes', settings.errorCodes, ['typed', 'documented']);
  const plain = (request: AnthropicRequest): AnthropicRequest =>
    servers === undefined ? request : { ...request, messages: renderServerCalls(request.messages, servers) };
  return {
    dialect: 'anthropic',
    open: (request) => openRequest(request, settings),
    recall: (request, plan) => recallRequest(plain(request), plan),
    render: (request, view, tell) => renderRequest(plain(request), { view, tell }, settings),
    reader: readRound,
    writer: (request, plan) => writeResponse(request, plan, settings),
    pending: pendingSearches,
    ping: () => ({ type: 'ping' }),
    transcript: anthropicTranscript,
  };
}

/** The wire of the Messages API with its default options. */
export const anthropicWire: Wire<AnthropicRequest, AnthropicEvent> = createAnthropicWire();

/**
 * Searches without a result in what the model said last, where that turn is still open: it was paused, or it waits for the client's
 * results. In a turn that has ended, the result was taken out by the client, and the search is over.
 */
function pendingSearches(request: AnthropicRequest, plan: Plan): readonly Call[] {
  if (plan.kind === 'inline' || plan.form.search !== 'local') return [];
  const last = request.messages.findLast(({ role }) => role === 'assistant');
  const blocks = blocksOf(last ?? { role: 'assistant', content: [] });
  const open = blocks.filter(isServerToolUse);
  const isOpen = request.messages.at(-1) === last || blocks.some(({ type }) => type === 'tool_use');
  if (open.length === 0 || !isOpen) return [];
  const { searches } = readHistory(request.messages);
  return open.flatMap((block) => {
    const name = block.name.startsWith('tool_search_tool') ? ownSearch(plan, block.name)?.name : undefined;
    if (name === undefined || searches.has(block)) return [];
    return [{ id: block.id, name, arguments: block.input ?? {} }];
  });
}
