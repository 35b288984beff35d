import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import type { ResponsesItem, ResponsesRequest } from '@quartermaster/wires/openai-responses';
import { openSeal } from '../../internal/seal.ts';
import { fileAt, filePart } from '../file-part.ts';
import { isUnreadable, noteOf, uncarried } from '../history-notes.ts';
import type { ModelTarget } from '../model-target.ts';
import { readOutput, readParts, textOf } from '../openai-content.ts';
import { readArguments, readToolChoice, SEARCH_CALL_NAME } from '../openai-tools.ts';
import { callPart, createPromptBuilder, type PromptBuilder, type UserPart } from '../prompt-builder.ts';
import { callOptions, type ProviderOptions } from '../provider-options.ts';
import { readFormat, readNumber } from '../read-settings.ts';
import { declaredTools } from './declared-tools.ts';

/**
 * A Responses request for any provider.
 *
 * Lost on the way: truncation, annotations, images' `detail`, reasoning of another provider, `metadata`,
 * `service_tier`, `store`. Items of tools that OpenAI runs become notes. A request whose history or prompt is kept
 * elsewhere is refused, and so are requests for log probabilities, files known only by id, items that only OpenAI can read, and items
 * and parts of unknown types.
 */
export function toCall(request: ResponsesRequest, target: ModelTarget): LanguageModelV4CallOptions {
  refuseKeptHistory(request);
  refuseProbabilities(request);
  const { reasoning: asked, text } = request;
  const effort = isJsonObject(asked) && typeof asked.effort === 'string' ? asked.effort : undefined;
  return {
    prompt: readPrompt(request, target),
    ...readNumber('maxOutputTokens', request.max_output_tokens),
    ...readNumber('temperature', request.temperature),
    ...readNumber('topP', request.top_p),
    ...readToolChoice(request.tool_choice, declaredTools(request, target)),
    ...readFormat(isJsonObject(text) ? text.format : undefined),
    ...callOptions({ effort }, target, request.parallel_tool_calls === false),
  };
}

function refuseKeptHistory(request: ResponsesRequest): void {
  for (const setting of ['previous_response_id', 'conversation']) {
    const value = request[setting];
    if (value === undefined || value === null) continue;
    const message = `${setting} refers to a history that is not kept here. Send all items in input, followed by the output of the response`;
    throw new UpstreamError({ code: 'unsupported', message });
  }
  if (isJsonObject(request.prompt)) throw uncarried('prompt', 'a prompt that is kept at OpenAI');
}

/** What a client would wait for in vain. */
function refuseProbabilities({ include, top_logprobs: top }: ResponsesRequest): void {
  const part = 'a request for log probabilities';
  if (typeof top === 'number' && top > 0) throw uncarried('top_logprobs', part);
  if (Array.isArray(include) && include.includes('message.output_text.logprobs')) throw uncarried('include', part);
}

function readPrompt(request: ResponsesRequest, target: ModelTarget): LanguageModelV4CallOptions['prompt'] {
  const builder = createPromptBuilder(target);
  const { input, instructions } = request;
  if (typeof instructions === 'string') builder.system(instructions);
  if (typeof input === 'string') builder.user([{ type: 'text', text: input }]);
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  const reading: Reading = { builder, target, sealed: undefined };
  for (const item of items) readItem(item, reading);
  return builder.prompt();
}

interface Reading {
  readonly builder: PromptBuilder;
  readonly target: ModelTarget;
  /** What belongs to the next call. */
  sealed: ProviderOptions | undefined;
}

function readItem(item: ResponsesItem, reading: Reading): void {
  const { builder } = reading;
  switch (item.type ?? 'message') {
    case 'message':
      readMessage(item, builder);
      break;
    case 'reasoning':
      readReasoning(item, reading);
      break;
    case 'function_call':
    case 'custom_tool_call':
      readCall(item, reading);
      break;
    case 'tool_search_call':
      if (typeof item.call_id === 'string') readCall(item, reading);
      else readStep(item, reading);
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (typeof item.call_id !== 'string') break;
      builder.answers([{ id: item.call_id, output: readOutput(item.output, readPart) }]);
      break;
    case 'tool_search_output':
      if (typeof item.call_id !== 'string') readStep(item, reading);
      else builder.answers([{ id: item.call_id, output: { type: 'text', value: foundText(item.tools) } }]);
      break;
    case 'additional_tools':
      break;
    case 'item_reference':
      throw uncarried('input', `the item_reference ${String(item.id)}, which is not stored here,`);
    default:
      readStep(item, reading);
  }
}

/** A step of a tool that only OpenAI defines. A client's output for one comes from the user. */
function readStep(item: ResponsesItem, { builder }: Reading): void {
  const type = String(item.type);
  if (isUnreadable(item)) {
    const part = `an item of type ${type}, which only its own host can read,`;
    throw uncarried('input', part, 'send the items that it replaced, or a summary of them');
  }
  if (!HOSTED.test(type)) throw uncarried('input', `an item of type ${type}`);
  const note = noteOf(withImage(item), readStepFile);
  if (RETURNED.test(type)) builder.returned(note);
  else builder.assistant(note);
}

/** Items of tools that OpenAI runs: calls, their outputs, lists and approvals, and compacted histories. */
const HOSTED = /_call(_output)?$|^program(_output)?$|^tool_search_output$|^mcp_|^compaction/;
const RETURNED = /_call_output$|^mcp_approval_response$/;

/** A generated image is bare base64 in its item. */
function withImage(item: ResponsesItem): ResponsesItem {
  const { result, ...rest } = item;
  if (item.type !== 'image_generation_call' || typeof result !== 'string') return item;
  const format = typeof item.output_format === 'string' ? item.output_format : 'png';
  return { ...rest, result: { image_url: `data:image/${format};base64,${result}` } };
}

function readStepFile(value: JsonObject): ReturnType<typeof fileAt> {
  if (value.type === 'image' && typeof value.url === 'string') return fileAt(value.url, 'image/*');
  return readFile(value);
}

function readMessage(item: ResponsesItem, builder: PromptBuilder): void {
  if (item.role === 'user') builder.user(readParts(item.content, readPart));
  else if (item.role === 'assistant') {
    const text = textOf(item.content);
    builder.assistant(text === '' ? [] : [{ type: 'text', text }]);
  } else builder.system(textOf(item.content));
}

/** A summary with what its provider wants back; without a summary, what the next call wants back. */
function readReasoning(item: ResponsesItem, reading: Reading): void {
  const { encrypted_content: seal, summary } = item;
  const metadata = typeof seal === 'string' ? openSeal(seal, reading.target.provider) : undefined;
  if (metadata === undefined) return;
  const providerOptions = metadata as ProviderOptions;
  const text = textOf(summary);
  if (text === '' && reading.target.family === 'google') reading.sealed = providerOptions;
  else reading.builder.assistant([{ type: 'reasoning', text, providerOptions }]);
}

function readCall(item: ResponsesItem, reading: Reading): void {
  const { call_id: id, name, namespace } = item;
  const isSearch = item.type === 'tool_search_call';
  if (typeof id !== 'string' || (typeof name !== 'string' && !isSearch)) return;
  const toolName = isSearch ? SEARCH_CALL_NAME : typeof namespace === 'string' ? `${namespace}__${name}` : String(name);
  const input = item.type === 'custom_tool_call' ? { input: item.input ?? '' } : readArguments(item.arguments);
  const options = reading.sealed;
  reading.sealed = undefined;
  reading.builder.assistant([callPart({ id, name: toolName, input }, options)]);
}

function readPart(part: JsonObject): UserPart {
  const file = readFile(part);
  if (file !== undefined) return file;
  if (typeof part.refusal === 'string') return { type: 'text', text: part.refusal };
  const named = typeof part.file_id === 'string' ? ' with a file_id' : '';
  throw uncarried('input', `a content part of type ${String(part.type)}${named}`);
}

function readFile(part: JsonObject): ReturnType<typeof fileAt> {
  const { image_url: image, file_data: data, file_url: url, filename } = part;
  if (typeof image === 'string') return fileAt(image, 'image/*');
  const name = typeof filename === 'string' ? { filename } : {};
  const at = typeof data === 'string' ? data : url;
  if (typeof at !== 'string') return undefined;
  const file = at.includes(':')
    ? fileAt(at, 'application/pdf')
    : filePart({ type: 'data', data: at }, 'application/pdf');
  return file === undefined ? undefined : { ...file, ...name };
}

/** What a search has loaded, as the names that a reader of our answers finds in them. */
function foundText(tools: unknown): string {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return JSON.stringify({ matches: list.filter(isJsonObject).map(({ type: _, ...tool }) => tool) });
}
