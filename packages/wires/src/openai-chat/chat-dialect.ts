import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { chooseForm } from '@quartermaster/core/disclosure';
import { RequestError } from '@quartermaster/core/errors';
import { textLength } from '@quartermaster/core/internal';
import type { Wire } from '@quartermaster/core/loop';
import { type Dialect, findSearchTools } from '../dialect.ts';
import { firstProblem, isAbsent, unlessObjects } from '../internal/answer-problems.ts';
import { authorizeBearer, checkOpenAIRequest, openaiErrorBody } from '../internal/openai-api.ts';
import { checkDeferredTools } from '../internal/other-spellings.ts';
import { type ChatChunk, type ChatCompletion, type ChatRequest, nameOf } from './chat-shapes-2026-11.ts';
import { chatTranscript } from './chat-transcript.ts';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import { chatWhole } from './whole.ts';
import { createWriter } from './writer.ts';

/**
 * OpenAI's Chat Completions, and every host that imitates it. Has functions only, so it carries the forms stub, bridge and load.
 * A search is never shown to the client: with a transcript it is remembered anyway, without one only calls are.
 */
export const openaiChatWire: Wire<ChatRequest, ChatChunk> = {
  dialect: 'openai-chat',
  open: openRequest,
  recall: recallRequest,
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
  transcript: chatTranscript,
};

/** Chat Completions: tool search for models and clients without it. */
export const chatDialect: Dialect<ChatRequest, ChatChunk, ChatCompletion, 'openai-chat'> = {
  name: 'openai-chat',
  wire: openaiChatWire,
  whole: chatWhole,
  endpoint: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/chat/completions',
    transport: 'openai-chat',
    authorize: authorizeBearer,
    errorIn: (chunk) => (isJsonObject(chunk.error) ? chunk.error : undefined),
    isComplete: ({ choices }) => choices?.some((choice) => typeof choice.finish_reason === 'string') === true,
    problemInWhole({ choices }) {
      const problem =
        unlessObjects('choices', choices) ??
        (Array.isArray(choices) && choices.length === 0 ? 'choices is empty' : undefined);
      return problem ?? firstProblem(choices, ({ message }) => problemIn('message', message));
    },
    problemInPart({ choices }) {
      if (isAbsent(choices)) return undefined;
      return (
        unlessObjects('choices', choices) ??
        firstProblem(choices, ({ delta }) => (isAbsent(delta) ? undefined : problemIn('delta', delta)))
      );
    },
    writePart: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    streamEnd: 'data: [DONE]\n\n',
    ping: ': ping\n\n',
  },
  api: {
    path: '/v1/chat/completions',
    route: 'chat_completions',
    format: 'openai-chat',
    maxNameLength: 64,
    describe: true,
    validate(value) {
      checkOpenAIRequest(value);
      checkDeferredTools(value);
      if (!Array.isArray(value.messages) || value.messages.length === 0 || !value.messages.every(isJsonObject)) {
        throw new RequestError('invalid_request', 'messages: at least one message is required');
      }
    },
    readTools(definitions) {
      const { tools } = openaiChatWire.open({ messages: [], tools: definitions });
      return { tools, searchTools: findSearchTools(definitions.filter(isJsonObject), tools, () => false) };
    },
    openSearch: () => ({}),
    form: (can) => chooseForm(can, 'auto').form,
    isServed: () => false,
    errorBody: openaiErrorBody,
    writeError: (error) => `data: ${JSON.stringify(openaiErrorBody(error))}\n\n`,
    readUsage: ({ usage }) =>
      isJsonObject(usage)
        ? { inputTokens: Number(usage.prompt_tokens ?? 0), outputTokens: Number(usage.completion_tokens ?? 0) }
        : undefined,
    metered(request) {
      const { stream, stream_options: options } = request;
      if (stream !== true || options?.include_usage === true) return undefined;
      return { ...request, stream_options: { ...options, include_usage: true } };
    },
    isUsageOnly: ({ usage, choices }) => isJsonObject(usage) && Array.isArray(choices) && choices.length === 0,
    writtenLength: ({ choices }) =>
      (choices ?? []).reduce((sum, { delta }) => {
        const { content, reasoning_content: reasoning, tool_calls: calls } = (delta ?? {}) as JsonObject;
        const inputs = (Array.isArray(calls) ? calls : []).map((call) => {
          if (!isJsonObject(call)) return 0;
          const { function: called, custom } = call;
          if (isJsonObject(called)) return textLength(called.arguments);
          return isJsonObject(custom) ? textLength(custom.input) : 0;
        });
        return sum + textLength(content) + textLength(reasoning) + inputs.reduce((all, one) => all + one, 0);
      }, 0),
    readCalls: ({ choices }) =>
      (choices ?? []).flatMap(({ delta }) => (delta?.tool_calls ?? []).flatMap((call) => nameOf(call) ?? [])),
  },
};

function problemIn(name: string, said: unknown): string | undefined {
  if (!isJsonObject(said)) return `${name} is not an object`;
  const { tool_calls: calls } = said;
  if (isAbsent(calls)) return undefined;
  return (
    unlessObjects('tool_calls', calls) ??
    firstProblem(calls, (call) => {
      const inner = [call.function, call.custom];
      return inner.every((value) => isAbsent(value) || isJsonObject(value)) ? undefined : 'a call is not an object';
    })
  );
}
