import { isJsonObject, type JsonObject } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { Definition } from '../disclosure/index.ts';
import { parseArguments } from '../dispatch/index.ts';
import { deepestReason, malformed, UpstreamError } from '../upstream-error.ts';
import type { Message, MessageCall, ModelEndpoint, ModelPart, ModelRequest, ModelUsage } from './model.ts';
import { readEvents, readResponseText } from './read-response.ts';

const MOST_EVENT_CHARACTERS = 8_000_000;
const MOST_BODY_BYTES = 32_000_000;
const MOST_ERROR_BYTES = 500;

/** One round with an endpoint that speaks OpenAI's chat completions, streamed. Whole responses are understood too. */
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
  const reader = createChunkReader((message) => malformed(`${endpoint.url}: ${message}`));
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
    const message = `${url} can't be reached: ${deepestReason(cause)}`;
    throw new UpstreamError({ code: 'unreachable', message, cause });
  }
}

async function readWhole({ url }: ModelEndpoint, response: Response): Promise<unknown> {
  const { text, isCut } = await readResponseText(response, MOST_BODY_BYTES);
  if (!isCut) return parse(text);
  throw malformed(`${url} answered with more than ${MOST_BODY_BYTES} bytes`);
}

function toChat(message: Message): JsonObject {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.id, content: message.content };
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const calls = message.calls ?? [];
  // Some hosts reject empty text along with calls.
  const content = message.content === '' && calls.length > 0 ? null : message.content;
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls.map(toChatCall) }) };
}

/** Some hosts reject a history with arguments that are not JSON. */
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
    throw malformed(`The model's answer contains ${data.slice(0, 100)}, which is not JSON`, { cause });
  }
}

function tooLong(maxEventLength: number): Error {
  return malformed(`The model's stream holds an event of more than ${maxEventLength} characters`);
}

async function failure(endpoint: ModelEndpoint, response: Response): Promise<UpstreamError> {
  const { text } = await readResponseText(response, MOST_ERROR_BYTES).catch(() => ({ text: '' }));
  const { status } = response;
  const message = `${endpoint.url} answered ${status}: ${text || 'nothing'}`;
  return new UpstreamError({ code: 'refused', message, status, context: { status } });
}

/** The longest response, in characters. */
const MOST_CHARACTERS = 32_000_000;

interface OpenCall {
  readonly index: number;
  id: string | undefined;
  name: string;
  arguments: string;
  extra: JsonObject;
}

/** Reads the chunks of one chat completion. Calls are distinguished by their index or, if hosts leave it out or repeat it, by their id. */
function createChunkReader(fail: (message: string) => Error): {
  read(chunk: unknown): readonly ModelPart[];
  /** `isDone`: the host has said that nothing follows. Without that and without a finish reason, the answer is incomplete. */
  end(isDone: boolean): readonly ModelPart[];
} {
  const calls: OpenCall[] = [];
  let reason: string | undefined;
  let usage: ModelUsage | undefined;
  let length = 0;

  const count = (text: string): string => {
    length += text.length;
    if (length > MOST_CHARACTERS) throw fail(`the answer has more than ${MOST_CHARACTERS} characters`);
    return text;
  };
  const take = (delta: JsonObject): void => {
    const { index: given, id, function: inner, type: _, ...extra } = delta;
    const { name, arguments: piece } = isJsonObject(inner) ? inner : {};
    const index = typeof given === 'number' ? given : (calls.at(-1)?.index ?? 0);
    const isNew = (known: OpenCall): boolean => isText(id) && known.id !== undefined && known.id !== id && isText(name);
    let call = calls.findLast((one) => one.index === index);
    if (call === undefined || isNew(call)) {
      call = { index, id: undefined, name: '', arguments: '', extra: {} };
      calls.push(call);
    }
    if (isText(id)) call.id ??= id;
    if (isText(name) && call.name === '') call.name = count(name);
    // Some hosts send the arguments as an object.
    call.arguments += count(isJsonObject(piece) ? JSON.stringify(piece) : isText(piece) ? piece : '');
    if (Object.keys(extra).length > 0) call.extra = { ...call.extra, ...extra };
    count(JSON.stringify(extra));
  };

  return {
    read(chunk) {
      if (!isJsonObject(chunk)) throw fail('a part of the answer is not an object');
      if (chunk.error !== undefined && chunk.error !== null) throw fail(JSON.stringify(chunk.error).slice(0, 500));
      usage = readUsage(chunk.usage) ?? usage;
      const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
      if (!isJsonObject(choice)) return [];
      if (isText(choice.finish_reason)) reason = choice.finish_reason;
      const delta = isJsonObject(choice.delta) ? choice.delta : {};
      if (Array.isArray(delta.tool_calls)) for (const one of delta.tool_calls) if (isJsonObject(one)) take(one);
      return isText(delta.content) ? [{ kind: 'text', text: count(delta.content) }] : [];
    },
    end(isDone) {
      if (reason === undefined && !isDone) throw fail('the answer broke off before its end');
      const isCut = reason === 'length' || reason === 'content_filter';
      return [
        ...calls
          .filter((call) => call.name !== '')
          .map(({ id, name, arguments: written, extra }): ModelPart => {
            const kept = Object.keys(extra).length === 0 ? undefined : extra;
            return { kind: 'call', name, arguments: written, ...defined({ id, extra: kept }) };
          }),
        { kind: 'end', isCut, ...defined({ usage }) },
      ];
    },
  };
}

function readUsage(usage: unknown): ModelUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  return { inputTokens: tokens(usage.prompt_tokens), outputTokens: tokens(usage.completion_tokens) };
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
