import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { chooseForm } from '@quartermaster/core/disclosure';
import { RequestError } from '@quartermaster/core/errors';
import { defined, textLength } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import { type Dialect, type ErrorFacts, findSearchTools } from '../dialect.ts';
import { isAbsent, unlessObjects } from '../internal/answer-problems.ts';
import { authorizeBearer, checkOpenAIRequest, openaiErrorBody, openaiErrorCode } from '../internal/openai-api.ts';
import { checkDeferredTools } from '../internal/other-spellings.ts';
import { isSearchTool, openRequest, openSearch } from './open.ts';
import { createReader } from './reader.ts';
import { recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import {
  isCallOutput,
  itemsOf,
  type ResponsesEvent,
  type ResponsesRequest,
  type ResponsesResponse,
} from './responses-shapes-2026-11.ts';
import { responsesTranscript } from './responses-transcript.ts';
import { responsesWhole } from './whole.ts';
import { createWriter } from './writer.ts';

/**
 * OpenAI's Responses API. Carries every form: stub, bridge and load by functions alone, native by client-executed searches (we are
 * the client), hosted by the provider's own search.
 */
export const openaiResponsesWire: Wire<ResponsesRequest, ResponsesEvent> = {
  dialect: 'openai-responses',
  open: openRequest,
  recall: recallRequest,
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
  transcript: responsesTranscript,
};

/** OpenAI's Responses API. */
export const responsesDialect: Dialect<ResponsesRequest, ResponsesEvent, ResponsesResponse, 'openai-responses'> = {
  name: 'openai-responses',
  wire: openaiResponsesWire,
  whole: responsesWhole,
  endpoint: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/responses',
    transport: 'openai-responses',
    authorize: authorizeBearer,
    errorIn: (event) => (event.type === 'error' ? errorIn(event) : undefined),
    isComplete: ({ type }) => RESPONSE_ENDS.has(type),
    problemInWhole: ({ output }) => unlessObjects('output', output),
    problemInPart({ type, item, response }) {
      if (typeof type !== 'string') return 'type is not a string';
      if (item !== undefined && !isJsonObject(item)) return 'item is not an object';
      if (response === undefined) return undefined;
      if (!isJsonObject(response)) return 'response is not an object';
      return isAbsent(response.output) ? undefined : unlessObjects('output', response.output);
    },
    writePart: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    streamEnd: '',
    ping: ': ping\n\n',
  },
  api: {
    path: '/v1/responses',
    route: 'responses',
    format: 'openai-responses',
    maxNameLength: 64,
    describe: true,
    validate(value) {
      checkOpenAIRequest(value);
      checkDeferredTools(value);
      checkPresent(value);
      checkInput(value.input);
    },
    refuse(request, can) {
      refuseLoneOutputs(request);
      if (can.deferMark) return;
      // A host without conversations would answer as if nothing had been said before.
      if (isAbsent(request.conversation)) return;
      const text =
        'conversation: this one is not kept here. Make one with POST /v1/conversations, or use previous_response_id';
      throw new RequestError('unsupported_request', text, { context: { parameter: 'conversation' } });
    },
    readTools(definitions, { input }) {
      const isShared = openSearch({ tools: definitions })?.kind !== 'client';
      const found = isShared || input === undefined ? {} : { input };
      const { tools, search } = openaiResponsesWire.open({ ...found, tools: definitions });
      const searchTools = findSearchTools(definitions.filter(isJsonObject), tools, isSearchTool);
      return { tools, searchTools, ...defined({ search }) };
    },
    openSearch: (_, searchTools) => ({ search: openSearch({ tools: searchTools }) }),
    // What a client has found itself is in its items.
    hasAllTools: (request) => openSearch(request)?.kind !== 'client',
    isStored: ({ store }) => store !== false,
    form: (can, search) => chooseForm(can, search?.kind === 'client' ? 'client' : 'auto').form,
    isServed(search, can) {
      if (search?.kind === 'client') return can.clientSearch;
      return search?.kind === 'hosted' && can.hostedSearch.includes('openai');
    },
    errorBody: openaiErrorBody,
    writeError: (error) => `event: error\ndata: ${JSON.stringify(errorEvent(error))}\n\n`,
    readUsage({ response }) {
      const usage = isJsonObject(response) ? response.usage : undefined;
      if (!isJsonObject(usage)) return undefined;
      return { inputTokens: Number(usage.input_tokens ?? 0), outputTokens: Number(usage.output_tokens ?? 0) };
    },
    writtenLength: ({ delta }) => textLength(delta),
    readCalls({ type, item }) {
      if (type !== 'response.output_item.done' || !isJsonObject(item)) return [];
      const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
      return isCall && typeof item.name === 'string' ? [item.name] : [];
    },
  },
};

function checkPresent(value: JsonObject): void {
  const says = [value.input, value.prompt, value.conversation, value.previous_response_id];
  if (says.every(isAbsent)) throw invalid('input', 'input: Field required');
}

/** Missing if a prompt or a conversation contains everything. */
function checkInput(input: unknown): void {
  if (isAbsent(input) || typeof input === 'string') return;
  if (!Array.isArray(input)) throw invalid('input', 'input: Input should be a string or a list of items');
  for (const [index, item] of input.entries()) {
    const at = `input[${index}]`;
    if (!isJsonObject(item)) throw invalid(at, `${at}: Input should be an object`);
    const { type, role, content } = item;
    if (!isAbsent(type) && typeof type !== 'string') throw invalid(at, `${at}.type: Input should be a string`);
    if (!isAbsent(type) && type !== 'message') continue;
    if (typeof role !== 'string') throw invalid(at, `${at}.role: Field required`);
    const isContent = typeof content === 'string' || (Array.isArray(content) && content.every(isJsonObject));
    if (!isContent) throw invalid(at, `${at}.content: Input should be a string or a list of content parts`);
  }
}

/** As OpenAI does: an output without its call would be dropped, and the model would never see it. A call may be with the host. */
function refuseLoneOutputs(request: ResponsesRequest): void {
  if (!isAbsent(request.previous_response_id) || !isAbsent(request.conversation)) return;
  const items = itemsOf(request);
  if (items.some(({ type }) => type === 'item_reference')) return;
  const calls = new Set(items.flatMap((item) => (isCallOutput(item) ? [] : [item.call_id])));
  const lone = items.findIndex((item) => isCallOutput(item) && !calls.has(item.call_id));
  if (lone < 0) return;
  const at = `input[${lone}]`;
  throw invalid(at, `${at}: there is no call with the call_id ${String(items[lone]?.call_id).slice(0, 200)} in input`);
}

function invalid(parameter: string, text: string): RequestError {
  return new RequestError('invalid_request', text, { context: { parameter } });
}

const RESPONSE_ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The event is the error; some hosts put one inside it. */
function errorIn(event: object): JsonObject | undefined {
  if (!isJsonObject(event)) return undefined;
  if (isJsonObject(event.error)) return event.error;
  const { code, message } = event;
  const type = typeof code === 'string' ? code : 'api_error';
  return { type, message: typeof message === 'string' ? message : '' };
}

/** An error that ends a stream. */
function errorEvent(error: ErrorFacts): object {
  const { message, type, param = null } = error;
  return { type: 'error', code: openaiErrorCode(error) ?? type, message, param };
}
