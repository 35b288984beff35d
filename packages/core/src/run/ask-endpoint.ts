import { isJsonObject, type JsonObject } from '../catalog/index.ts';
import { deepestReason } from '../deepest-reason.ts';
import type { Definition } from '../disclosure/index.ts';
import { parseArguments } from '../dispatch/index.ts';
import { UpstreamError } from '../upstream-error.ts';
import { createChunkReader } from './chunk-reader.ts';
import type { Message, MessageCall } from './message.ts';
import type { ModelEndpoint, ModelPart, ModelRequest } from './model.ts';
import { readEvents, readResponseText } from './read-response.ts';

const MOST_EVENT_CHARACTERS = 8_000_000;
const MOST_BODY_BYTES = 32_000_000;
const MOST_ERROR_BYTES = 500;

/** One round with an endpoint that speaks OpenAI's chat completions, streamed. Hosts that answer whole are understood too. */
export async function* askEndpoint(
  endpoint: ModelEndpoint,
  request: ModelRequest,
): AsyncGenerator<ModelPart, void, undefined> {
  const { headers = {}, apiKey, body = {}, fetch: ask = fetch } = endpoint;
  const response = await send(ask, `${endpoint.url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: JSON.stringify({
      stream_options: { include_usage: true },
      ...body,
      model: endpoint.model,
      messages: request.messages.map(toChat),
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toChatTool) }),
      stream: true,
    }),
    signal: request.signal,
  });
  if (!response.ok || response.body === null) throw await failure(endpoint, response);
  const reader = createChunkReader(
    (message) => new UpstreamError({ code: 'malformed', message: `${endpoint.url}: ${message}` }),
  );
  const isWhole = response.headers.get('content-type')?.includes('application/json') === true;
  let isDone = isWhole;
  if (isWhole) yield* reader.read(wholeAsChunk(await readWhole(endpoint, response)));
  else {
    for await (const { data } of readEvents(response.body, { maxEventLength: MOST_EVENT_CHARACTERS, tooLong })) {
      if (data === '[DONE]') isDone = true;
      else yield* reader.read(parse(data));
    }
  }
  yield* reader.end(isDone);
}

/** `fetch` itself only says that it failed. */
async function send(
  ask: typeof fetch,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await ask(url, init);
  } catch (cause) {
    init.signal.throwIfAborted();
    throw new UpstreamError({
      code: 'unreachable',
      message: `${url} can't be reached: ${deepestReason(cause)}`,
      cause,
    });
  }
}

async function readWhole({ url }: ModelEndpoint, response: Response): Promise<unknown> {
  const { text, isCut } = await readResponseText(response, MOST_BODY_BYTES);
  if (!isCut) return parse(text);
  throw new UpstreamError({ code: 'malformed', message: `${url} answered with more than ${MOST_BODY_BYTES} bytes` });
}

function toChat(message: Message): JsonObject {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.id, content: message.content };
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const calls = message.calls ?? [];
  // Some hosts refuse empty text beside calls.
  const content = message.content === '' && calls.length > 0 ? null : message.content;
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls.map(toChatCall) }) };
}

/** Some hosts refuse a history with arguments that are not JSON. */
function toChatCall({ id, name, extra, arguments: written }: MessageCall): JsonObject {
  const input = parseArguments(written) ?? { INVALID_JSON: String(written) };
  return { ...extra, id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function toChatTool({ name, description, schema }: Definition): JsonObject {
  return { type: 'function', function: { name, description, parameters: schema } };
}

function wholeAsChunk(response: unknown): unknown {
  if (!isJsonObject(response) || !Array.isArray(response.choices)) return response;
  const choices = response.choices.map((choice) =>
    isJsonObject(choice) ? { ...choice, delta: choice.message } : choice,
  );
  return { ...response, choices };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new UpstreamError({
      code: 'malformed',
      message: `The model's answer contains ${data.slice(0, 100)}, which is not JSON`,
      cause,
    });
  }
}

function tooLong(maxEventLength: number): Error {
  return new UpstreamError({
    code: 'malformed',
    message: `The model's stream holds an event of more than ${maxEventLength} characters`,
  });
}

async function failure(endpoint: ModelEndpoint, response: Response): Promise<UpstreamError> {
  const { text } = await readResponseText(response, MOST_ERROR_BYTES).catch(() => ({ text: '' }));
  const { status } = response;
  return new UpstreamError({
    code: 'refused',
    message: `${endpoint.url} answered ${status}: ${text || 'nothing'}`,
    status,
    context: { status },
  });
}
