import type { Call, Plan } from '@quartermaster/core';
import { isJsonObject, type JsonObject, type Policy } from '@quartermaster/core/catalog';
import { chooseForm, FORMS } from '@quartermaster/core/disclosure';
import { RequestError } from '@quartermaster/core/errors';
import { checkOptionNames, defined, readChoice, textLength } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import { type Dialect, type ErrorFacts, findSearchTools, type UsageFacts } from '../dialect.ts';
import { unlessObjects } from '../internal/answer-problems.ts';
import {
  type AnthropicErrorBody,
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  type AnthropicUsage,
  blocksOf,
  isServerToolUse,
} from './anthropic-shapes-2026-11.ts';
import { anthropicTranscript } from './anthropic-transcript.ts';
import { isForeignSearch, openKnownTools, openRequest, ownSearch, SEARCH_TOOL_NAMES } from './open.ts';
import { readRound } from './reader.ts';
import { readHistory, recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import type { ErrorCodes } from './search-error.ts';
import { renderServerCalls, type ServerCalls, serverCalls } from './server-calls.ts';
import { validateAnthropicRequest } from './validate-request.ts';
import { anthropicWhole } from './whole.ts';
import { writeResponse } from './writer.ts';

/** Options of the Messages API's wire. */
export interface AnthropicWireOptions {
  /** Which error codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
  /** What a missing `defer_loading` means. The API sends the tool in full; a library may leave it to the gate. @default never */
  readonly missingDeferral?: Policy;
  /**
   * What deferred tools without a search tool mean: the `client` searches itself, as in the API, or the search is
   * `ours` to add.
   * @default client
   */
  readonly deferredAlone?: 'client' | 'ours';
  /** Tools of MCP servers that are called within the response. @default none */
  readonly servers?: ServerCalls;
}

/** The defaults of the Messages API's wire. */
const ANTHROPIC_WIRE_DEFAULTS: Required<Omit<AnthropicWireOptions, 'servers'>> = {
  errorCodes: 'typed',
  missingDeferral: 'never',
  deferredAlone: 'client',
};

/** The Messages API, towards the client and towards the upstream. */
export function createAnthropicWire(options: AnthropicWireOptions = {}): Wire<AnthropicRequest, AnthropicEvent> {
  checkOptionNames('createAnthropicWire', options, { ...ANTHROPIC_WIRE_DEFAULTS, servers: true });
  const settings = { ...ANTHROPIC_WIRE_DEFAULTS, ...options };
  const { servers } = settings;
  readChoice('errorCodes', settings.errorCodes, ['typed', 'documented']);
  const plain = (request: AnthropicRequest): AnthropicRequest =>
    servers === undefined ? request : { ...request, messages: renderServerCalls(request.messages, servers) };
  return {
    dialect: 'anthropic',
    searchNames: SEARCH_NAMES,
    open: (request) => openRequest(request, settings),
    recall: (request, plan) => recallRequest(plain(request), plan),
    render: (request, view, tell) => renderRequest(plain(request), view, tell),
    reader: readRound,
    writer: (request, plan) => writeResponse(request, plan, settings),
    pending: pendingSearches,
    ping: () => ({ type: 'ping' }),
    transcript: anthropicTranscript,
  };
}

const SEARCH_NAMES: readonly string[] = Object.values(SEARCH_TOOL_NAMES);

/** The wire of the Messages API with its default options. */
export const anthropicWire: Wire<AnthropicRequest, AnthropicEvent> = createAnthropicWire();

/**
 * Searches without a result in the model's latest turn, if that turn is still open: it was paused, or it waits for the client's
 * results. In a turn that has ended, the client removed the result, and the search is over.
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

/** The dialect of the Messages API. */
export type AnthropicDialect = Dialect<AnthropicRequest, AnthropicEvent, AnthropicResponse, 'anthropic'>;

/** Options of the Messages API's dialect. */
export interface AnthropicDialectOptions {
  /** Which error codes a failed search shows. @default typed */
  readonly errorCodes?: ErrorCodes;
  /** Whether deferred tools with a cache breakpoint are rejected, as the API does. @default false */
  readonly strict?: boolean;
  /** How many tools a request may define. @default the API's limit */
  readonly maxRequestTools?: number;
}

/** The Messages API. */
export function createAnthropicDialect(options: AnthropicDialectOptions = {}): AnthropicDialect {
  checkOptionNames('createAnthropicDialect', options, 'errorCodes strict maxRequestTools');
  return dialectWith(options, undefined);
}

function dialectWith(options: AnthropicDialectOptions, servers: ServerCalls | undefined): AnthropicDialect {
  const { errorCodes, strict, maxRequestTools: maxTools } = options;
  const wire = createAnthropicWire({ ...defined({ errorCodes, servers }), missingDeferral: 'automatic' });
  return {
    name: 'anthropic',
    wire,
    whole: anthropicWhole,
    endpoint: ENDPOINT,
    withServers: (named) => dialectWith(options, serverCalls(named)),
    api: {
      path: '/v1/messages',
      route: 'messages',
      format: 'anthropic',
      maxNameLength: 128,
      // The Messages API has no block for a description: search results contain what one would say.
      describe: false,
      validate(value, { headers, isKnown }) {
        refuseThread(value);
        const version = headers.get('anthropic-version') ?? undefined;
        const { messages } = value as unknown as AnthropicRequest;
        const plain = servers === undefined ? value : { ...value, messages: renderServerCalls(messages, servers) };
        validateAnthropicRequest(plain, { isKnown, ...defined({ strict, maxTools, version }) });
      },
      refuse(request, can) {
        if (can.references) return;
        refuseToolsets(request);
        refuseToolChanges(request);
      },
      namesServers({ mcp_servers: servers, messages }) {
        if (servers !== undefined && servers !== null) return true;
        return Array.isArray(messages) && messages.some(hasServerBlock);
      },
      readTools(definitions) {
        const { tools, search } = wire.open({ messages: [], tools: definitions } as unknown as AnthropicRequest);
        const searchTools = findSearchTools(definitions.filter(isJsonObject), tools, isSearchTool);
        return { tools, searchTools, ...defined({ search }) };
      },
      openSearch(request, searchTools) {
        const opened = openKnownTools(request, searchTools);
        return { search: opened.search, opened };
      },
      form(can, search) {
        if (search?.kind === 'client') return chooseForm(can, 'client').form;
        // Found tools are declared at the end of the tools, in the order of discovery: any host can read that.
        return can.references ? FORMS.native : chooseForm(can, 'load').form;
      },
      isServed(search, can) {
        if (search?.kind === 'client') return can.references;
        if (search?.kind !== 'hosted') return false;
        const engines = search.also === undefined ? [search.engine] : [search.engine, search.also.engine];
        return engines.every((engine) => engine !== 'any' && can.hostedSearch.includes(`anthropic-${engine}`));
      },
      errorBody: anthropicErrorBody,
      writeError: (error) => writeNamedEvent({ type: 'error', error: anthropicError(error) }),
      readUsage(event) {
        // Some hosts report input tokens at the start, and only output tokens at the end.
        if (event.type === 'message_start') return readTokens(event.message.usage);
        return event.type === 'message_delta' ? readTokens(event.usage) : undefined;
      },
      writtenLength(event) {
        if (event.type !== 'content_block_delta') return 0;
        const { text, thinking, partial_json: input } = event.delta as JsonObject;
        return textLength(text) + textLength(thinking) + textLength(input);
      },
      readCalls(event) {
        if (event.type !== 'content_block_start') return [];
        const { type, name } = event.content_block;
        return type === 'tool_use' && typeof name === 'string' ? [name] : [];
      },
    },
  };
}

const ENDPOINT: AnthropicDialect['endpoint'] = {
  baseUrl: 'https://api.anthropic.com',
  path: '/v1/messages',
  transport: 'anthropic-messages',
  authorize(headers, apiKey) {
    if (!headers.has('anthropic-version')) headers.set('anthropic-version', '2023-06-01');
    // Versions are dates: the newer ones take the key as a bearer token.
    const isBearer = (headers.get('anthropic-version') ?? '') >= '2026-10-21';
    if (isBearer) headers.set('authorization', `Bearer ${apiKey}`);
    else headers.set('x-api-key', apiKey);
  },
  errorIn: (event) => (event.type === 'error' && isJsonObject(event.error) ? event.error : undefined),
  isComplete: (event) =>
    event.type === 'message_stop' || (event.type === 'message_delta' && typeof event.delta.stop_reason === 'string'),
  problemInWhole: ({ content }) => unlessObjects('content', content),
  problemInPart(event) {
    if (typeof event.type !== 'string') return 'type is not a string';
    const field = Object.hasOwn(EVENT_FIELDS, event.type) ? EVENT_FIELDS[event.type] : undefined;
    return field === undefined || isJsonObject(event[field]) ? undefined : `${field} of ${event.type} is not an object`;
  },
  writePart: writeNamedEvent,
  streamEnd: '',
  ping: writeNamedEvent({ type: 'ping' }),
};

/** The field without which an event can't be read. */
const EVENT_FIELDS: Readonly<Record<string, string>> = {
  message_start: 'message',
  content_block_start: 'content_block',
  content_block_delta: 'delta',
  message_delta: 'delta',
  error: 'error',
};

/** The dialect of the Messages API with its default options. */
export const anthropicDialect: AnthropicDialect = createAnthropicDialect();

/** The Messages API's error envelope. */
export function anthropicErrorBody(error: ErrorFacts, requestId: string): object {
  return { type: 'error', error: anthropicError(error), request_id: requestId };
}

/** An error in the format of the Messages API. */
export function anthropicError({ type, message, details }: ErrorFacts): {
  type: string;
  message: string;
  details?: object;
} {
  return { type, message, ...defined({ details }) };
}

/** Whether an entry among the tools represents an MCP server's tools. */
export function isToolset(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && tool.type === 'mcp_toolset';
}

function readTokens(usage: AnthropicUsage | undefined): UsageFacts {
  const { input_tokens: inputTokens, output_tokens: outputTokens, server_tool_use: server } = usage ?? {};
  const searches = isJsonObject(server) ? server.tool_search_requests : undefined;
  return {
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
    ...(typeof searches === 'number' ? { searches } : {}),
  };
}

function isSearchTool(definition: JsonObject): boolean {
  if (isForeignSearch(definition)) return true;
  return typeof definition.type === 'string' && definition.type.startsWith('tool_search_tool_');
}

function hasServerBlock(message: unknown): boolean {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return false;
  return message.content.some(
    (block: unknown) => isJsonObject(block) && typeof block.type === 'string' && block.type.startsWith('mcp_tool_'),
  );
}

/**
 * A thread keeps the conversation at the host, where we could neither read nor render it. These errors make the SDK's tool runner
 * continue with the whole conversation in each request.
 */
export function refuseThread({ thread }: AnthropicRequest | JsonObject): void {
  if (!isJsonObject(thread)) return;
  if (thread.type === 'continue') {
    throw new RequestError('unsupported_request', 'Threads are not kept here; send the whole conversation', {
      context: { status: 404, details: { error_code: 'thread_not_found' } },
    });
  }
  const text = 'Threads are not supported; send the whole conversation in each request';
  const details = { error_code: 'thread_unsupported_request', unsupported: [] };
  throw new RequestError('unsupported_request', text, { context: { details } });
}

/** A model that never sees a server's tools would answer as if it had none. */
function refuseToolsets({ tools, mcp_servers: servers }: AnthropicRequest): void {
  if (!Array.isArray(tools) || !tools.some(isToolset)) return;
  const text =
    servers === undefined
      ? 'tools: an mcp_toolset needs its server in mcp_servers'
      : 'tools: mcp_toolset is not supported for this model; declare the tools themselves';
  throw new RequestError('unsupported_request', text);
}

/** Of changes within a conversation only the addition of a declared tool can be followed; a tool must not be dropped silently. */
function refuseToolChanges({ messages }: AnthropicRequest): void {
  for (const { role, content } of messages) {
    if (role !== 'system' || !Array.isArray(content)) continue;
    for (const { type, tool } of content.filter(isJsonObject)) {
      const isFollowed = type === 'tool_addition' && isJsonObject(tool) && tool.type === 'tool_reference';
      if ((type !== 'tool_addition' && type !== 'tool_removal') || isFollowed) continue;
      const kind = isJsonObject(tool) && typeof tool.type === 'string' ? tool.type.slice(0, 200) : 'no tool';
      const text = `messages: ${type} of ${kind} is not supported for this model; change tools instead`;
      throw new RequestError('unsupported_request', text);
    }
  }
}

/** The SDK ignores events without a name. */
export function writeNamedEvent(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function writeErrorEvent(error: AnthropicErrorBody): string {
  return writeNamedEvent({ type: 'error', error });
}
