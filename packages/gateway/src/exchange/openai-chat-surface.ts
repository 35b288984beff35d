import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { chooseForm } from '@quartermaster/core/disclosure';
import { type ChatRequest, chatWhole, openaiChatWire } from '@quartermaster/wires/openai-chat';
import { ApiError, openaiErrorBody } from '../http/index.ts';
import { findProbe, type Surface } from './surface.ts';

/** Chat Completions: tool search for models and clients that know none. */
export const openaiChatSurface: Surface<'openai-chat'> = {
  dialect: 'openai-chat',
  wire: openaiChatWire,
  whole: chatWhole,
  maxNameLength: 64,
  describe: true,
  validate(value) {
    checkModel(value);
    if (!Array.isArray(value.messages) || value.messages.length === 0 || !value.messages.every(isJsonObject)) {
      throw new ApiError(400, 'messages: at least one message is required');
    }
    return value as unknown as ChatRequest;
  },
  readTools(definitions) {
    const { tools } = openaiChatWire.open({ messages: [], tools: definitions });
    return { tools, probe: findProbe(definitions, tools, () => false) };
  },
  openSearch: () => undefined,
  form: (can) => chooseForm(can, 'auto').form,
  isServed: () => false,
  writePart: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  streamEnd: 'data: [DONE]\n\n',
  ping: ': ping\n\n',
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
  readCalls: ({ choices }) =>
    (Array.isArray(choices) ? choices : []).flatMap((choice: unknown) => {
      const delta = isJsonObject(choice) ? choice.delta : undefined;
      const calls = isJsonObject(delta) && Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
      return calls.flatMap((call: unknown) => {
        const named = isJsonObject(call) ? call.function : undefined;
        return isJsonObject(named) && typeof named.name === 'string' && named.name !== '' ? [named.name] : [];
      });
    }),
};

export function checkModel({ model, tools }: JsonObject): void {
  if (typeof model !== 'string' || model === '') throw new ApiError(400, 'model: Field required');
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) {
    throw new ApiError(400, 'tools: Input should be a list');
  }
}
