import type { Policy } from '@quartermaster/core/catalog';
import { readChoice } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import type { AnthropicEvent, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { anthropicTranscript } from './anthropic-transcript.ts';
import { openRequest } from './open.ts';
import { pendingSearches } from './pending-searches.ts';
import { readRound } from './reader.ts';
import { recallRequest } from './recall.ts';
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
export const ANTHROPIC_WIRE_DEFAULTS: Required<Omit<AnthropicWireOptions, 'servers'>> = {
  errorCodes: 'typed',
  missingDeferral: 'never',
  deferredAlone: 'client',
  hostedEngine: 'bm25',
};

/** The Messages API, in the client's direction and in the upstream's. */
export function createAnthropicWire(options: AnthropicWireOptions = {}): Wire<AnthropicRequest, AnthropicEvent> {
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
