import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { ChatMessage, ChatRequest } from '@quartermaster/wires/openai-chat';
import { fileAt, filePart } from '../file-part.ts';
import { noteOf, uncarried } from '../history-notes.ts';
import type { ModelTarget } from '../model-target.ts';
import { readOutput, readParts, textOf } from '../openai-content.ts';
import { readArguments, readOpenaiTools, readToolChoice } from '../openai-tools.ts';
import { type AssistantPart, callPart, createPromptBuilder, type UserPart } from '../prompt-builder.ts';
import { callOptions, type ProviderOptions } from '../provider-options.ts';
import { readFormat, readNumber, readStops } from '../read-settings.ts';

/**
 * A Chat request for any provider.
 *
 * Lost on the way: predictions, names of participants, images' `detail`, `metadata`, `user`, `service_tier`, `store`. Reasoning
 * of earlier turns (`reasoning_content`) goes to hosts that speak Chat themselves, and to no other: it bears no signature.
 * Options that change what the client gets back, files known only by id and parts of unknown types are refused.
 */
export function toCall(request: ChatRequest, target: ModelTarget): LanguageModelV4CallOptions {
  refuseOptions(request);
  const effort = typeof request.reasoning_effort === 'string' ? request.reasoning_effort : undefined;
  return {
    prompt: readPrompt(request, target),
    ...readNumber('maxOutputTokens', request.max_completion_tokens ?? request.max_tokens),
    ...readNumber('temperature', request.temperature),
    ...readNumber('topP', request.top_p),
    ...readNumber('presencePenalty', request.presence_penalty),
    ...readNumber('frequencyPenalty', request.frequency_penalty),
    ...readNumber('seed', request.seed),
    ...readStops(request.stop),
    ...readToolChoice(request.tool_choice, readOpenaiTools(request.tools, target)),
    ...readFormat(request.response_format),
    ...callOptions({ effort }, target, request.parallel_tool_calls === false),
  };
}

/** Options that would make a client wait for something that never comes. */
function refuseOptions(request: ChatRequest): void {
  const { n, functions, logprobs, logit_bias: bias, modalities, web_search_options: search } = request;
  if (typeof n === 'number' && n > 1)
    throw uncarried('n', 'a request for several choices', 'send one request for each');
  if (Array.isArray(functions)) throw uncarried('functions', 'the older form of tools', 'declare them in tools');
  if (logprobs === true) throw uncarried('logprobs', 'a request for log probabilities');
  if (isJsonObject(bias) && Object.keys(bias).length > 0) throw uncarried('logit_bias', 'a bias for tokens');
  if (Array.isArray(modalities) && modalities.includes('audio')) throw uncarried('modalities', 'a request for audio');
  if (isJsonObject(search)) throw uncarried('web_search_options', 'a web search, which OpenAI runs,');
}

function readPrompt(request: ChatRequest, target: ModelTarget): LanguageModelV4CallOptions['prompt'] {
  const builder = createPromptBuilder(target);
  const messages: readonly unknown[] = Array.isArray(request.messages) ? request.messages : [];
  // The older calls have no id: a result follows its call.
  let olderCalls = 0;
  const olderId = (): string => `function_call_${olderCalls}`;
  for (const message of messages.filter(isMessage)) {
    switch (message.role) {
      case 'system':
      case 'developer':
        builder.system(textOf(message.content));
        break;
      case 'user':
        builder.user(readParts(message.content, readPart));
        break;
      case 'assistant':
        builder.assistant(readAssistant(message, target));
        if (!isJsonObject(message.function_call)) break;
        olderCalls += 1;
        builder.assistant(readCall({ id: olderId(), function: message.function_call }, target));
        break;
      case 'function':
        builder.answers([{ id: olderId(), output: readOutput(message.content, readPart) }]);
        break;
      case 'tool':
        if (typeof message.tool_call_id !== 'string') break;
        builder.answers([{ id: message.tool_call_id, output: readOutput(message.content, readPart) }]);
        break;
    }
  }
  return builder.prompt();
}

function isMessage(message: unknown): message is ChatMessage {
  return isJsonObject(message);
}

/** Of a user, and of a tool: some hosts of this API take images in tool messages, so clients send them. */
function readPart({ type, image_url: image, input_audio: audio, file }: JsonObject): UserPart | undefined {
  if (isJsonObject(image) && typeof image.url === 'string') return fileAt(image.url, 'image/*');
  if (isJsonObject(audio) && typeof audio.data === 'string') {
    return filePart({ type: 'data', data: audio.data }, `audio/${String(audio.format ?? 'wav')}`);
  }
  const read =
    isJsonObject(file) && typeof file.file_data === 'string' ? fileAt(file.file_data, 'application/pdf') : undefined;
  if (read === undefined || !isJsonObject(file)) throw uncarried('messages', `a content part of type ${type}`);
  return typeof file.filename === 'string' ? { ...read, filename: file.filename } : read;
}

function readAssistant(message: ChatMessage, target: ModelTarget): readonly AssistantPart[] {
  const { reasoning_content: reasoning, refusal } = message;
  const text = textOf(message.content) || (typeof refusal === 'string' ? refusal : '');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const images: readonly unknown[] = Array.isArray(message.images) ? message.images : [];
  return [
    ...(typeof reasoning === 'string' && reasoning !== '' && target.family === 'other'
      ? [{ type: 'reasoning', text: reasoning } as const]
      : []),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...(isJsonObject(message.audio) ? noteOf({ ...message.audio, type: 'audio' }, () => undefined) : []),
    ...images.flatMap(readImage),
    ...calls.flatMap((call) => readCall(call, target)),
  ];
}

/** An image that a model made, as a user's image is read. */
function readImage(image: unknown): readonly UserPart[] {
  return isJsonObject(image) ? readParts([{ ...image, type: 'image_url' }], readPart) : [];
}

function readCall(call: unknown, target: ModelTarget): readonly AssistantPart[] {
  if (!isJsonObject(call) || typeof call.id !== 'string') return [];
  const { function: called, custom, extra_content: extra } = call;
  const inner = isJsonObject(called) ? called : custom;
  if (!isJsonObject(inner) || typeof inner.name !== 'string') return [];
  const input = isJsonObject(called) ? readArguments(called.arguments) : { input: inner.input ?? '' };
  const google = isJsonObject(extra) && isJsonObject(extra.google) ? extra.google.thought_signature : undefined;
  const options: ProviderOptions | undefined =
    typeof google === 'string' && (target.family === 'google' || target.family === 'other')
      ? { [target.family === 'google' ? 'google' : target.provider]: { thoughtSignature: google } }
      : undefined;
  return [callPart({ id: call.id, name: inner.name, input }, options)];
}
