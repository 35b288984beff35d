import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { chooseForm, FORMS } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import {
  type AnthropicRequest,
  type AnthropicUsage,
  anthropicWhole,
  createAnthropicWire,
  type ErrorCodes,
  validateAnthropicRequest,
  writeNamedEvent,
} from '@quartermaster/wires/anthropic';
import { ApiError, anthropicError, anthropicErrorBody } from '../http/index.ts';
import { findProbe, type Surface } from './surface.ts';

export interface AnthropicSurfaceOptions {
  /** Which codes a failed search shows. */
  readonly errorCodes: ErrorCodes;
  /** Whether deferred tools with a cache breakpoint are refused, as the API does. */
  readonly strict: boolean;
  /** How many tools a request may define. */
  readonly maxRequestTools: number;
}

/** The Messages API. */
export function anthropicSurface(options: AnthropicSurfaceOptions): Surface<'anthropic'> {
  const wire = createAnthropicWire({ errorCodes: options.errorCodes, missingDeferral: 'automatic' });
  return {
    dialect: 'anthropic',
    wire,
    whole: anthropicWhole,
    maxNameLength: 128,
    // The Messages API has no block for a description: searches carry what one would say.
    describe: false,
    validate(value, { headers, isKnown }) {
      refuseThread(value);
      const version = headers.get('anthropic-version');
      return validateAnthropicRequest(value, {
        isKnown,
        strict: options.strict,
        maxTools: options.maxRequestTools,
        ...(version === null ? {} : { version }),
      });
    },
    readTools(definitions) {
      const { tools, search } = wire.open({ messages: [], tools: definitions } as unknown as AnthropicRequest);
      const probe = findProbe(definitions, tools, isSearchTool);
      return { tools, probe, ...defined({ search }) };
    },
    openSearch: (request, probe) => wire.open({ ...request, tools: probe }).search,
    form(can, search) {
      if (search?.kind === 'client') return chooseForm(can, 'client').form;
      // What was found is declared at the end of the tools, in the order of discovery: any host knows how to read that.
      return can.references ? FORMS.native : chooseForm(can, 'load').form;
    },
    isServed(search, can) {
      if (search?.kind === 'client') return can.references;
      if (search?.kind !== 'hosted') return false;
      const engines = search.also === undefined ? [search.engine] : [search.engine, search.also.engine];
      return engines.every((engine) => engine !== 'any' && can.hostedSearch.includes(`anthropic-${engine}`));
    },
    writePart: writeNamedEvent,
    streamEnd: '',
    ping: writeNamedEvent({ type: 'ping' }),
    errorBody: anthropicErrorBody,
    writeError: (error) => writeNamedEvent({ type: 'error', error: anthropicError(error) }),
    readUsage(event) {
      // Some hosts tell what they have read when they begin, and only what they have written at the end.
      if (event.type === 'message_start') return readTokens(event.message.usage);
      return event.type === 'message_delta' ? readTokens(event.usage) : undefined;
    },
    readCalls(event) {
      if (event.type !== 'content_block_start') return [];
      const { type, name } = event.content_block;
      return type === 'tool_use' && typeof name === 'string' ? [name] : [];
    },
  };
}

function readTokens(usage: AnthropicUsage | undefined): ReturnType<Surface<'anthropic'>['readUsage']> {
  const { input_tokens: inputTokens, output_tokens: outputTokens, server_tool_use: server } = usage ?? {};
  const searches = isJsonObject(server) ? server.tool_search_requests : undefined;
  return {
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
    ...(typeof searches === 'number' ? { searches } : {}),
  };
}

function isSearchTool(definition: JsonObject): boolean {
  return typeof definition.type === 'string' && definition.type.startsWith('tool_search_tool_');
}

/** In the one way after which the SDK's tool runner goes on with the whole conversation in each request. */
function refuseThread({ thread }: JsonObject): void {
  if (!isJsonObject(thread)) return;
  if (thread.type === 'continue') {
    throw new ApiError(404, 'Threads are not kept here; send the whole conversation', {
      details: { error_code: 'thread_not_found' },
    });
  }
  throw new ApiError(400, 'Threads are not supported; send the whole conversation in each request', {
    details: { error_code: 'thread_unsupported_request', unsupported: [] },
  });
}
