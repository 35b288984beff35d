import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { chooseForm } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import { openaiResponsesWire, type ResponsesRequest, responsesWhole } from '@quartermaster/wires/openai-responses';
import { openaiErrorBody, responsesErrorEvent } from '../http/index.ts';
import { checkModel } from './openai-chat-surface.ts';
import { findProbe, type Surface } from './surface.ts';

/** OpenAI's Responses API. */
export const openaiResponsesSurface: Surface<'openai-responses'> = {
  dialect: 'openai-responses',
  wire: openaiResponsesWire,
  whole: responsesWhole,
  maxNameLength: 64,
  describe: true,
  validate(value) {
    checkModel(value);
    return value as unknown as ResponsesRequest;
  },
  readTools(definitions, { input }) {
    const isShared = !definitions.some((tool) => isSearchTool(tool) && isClientSearch(tool));
    const found = isShared || input === undefined ? {} : { input };
    const { tools, search } = openaiResponsesWire.open({ ...found, tools: definitions });
    const probe = findProbe(definitions, tools, isSearchTool);
    return { tools, probe, ...defined({ search }) };
  },
  openSearch(_, probe) {
    const tool = probe.find(isSearchTool);
    if (tool === undefined) return undefined;
    return isClientSearch(tool) ? { kind: 'client' } : { kind: 'hosted', engine: 'any', name: 'tool_search' };
  },
  // What a client has found for itself stands among its items.
  hasAllTools: ({ tools }) =>
    !Array.isArray(tools) || !tools.some((tool) => isSearchTool(tool) && isClientSearch(tool)),
  isStored: ({ store }) => store !== false,
  form: (can, search) => chooseForm(can, search?.kind === 'client' ? 'client' : 'auto').form,
  isServed(search, can) {
    if (search?.kind === 'client') return can.clientSearch;
    return search?.kind === 'hosted' && can.hostedSearch.includes('openai');
  },
  writePart: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  streamEnd: '',
  ping: ': ping\n\n',
  errorBody: openaiErrorBody,
  writeError: (error) => `event: error\ndata: ${JSON.stringify(responsesErrorEvent(error))}\n\n`,
  readUsage({ response }) {
    const usage = isJsonObject(response) ? response.usage : undefined;
    if (!isJsonObject(usage)) return undefined;
    return { inputTokens: Number(usage.input_tokens ?? 0), outputTokens: Number(usage.output_tokens ?? 0) };
  },
  readCalls({ type, item }) {
    if (type !== 'response.output_item.done' || !isJsonObject(item)) return [];
    const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
    return isCall && typeof item.name === 'string' ? [item.name] : [];
  },
};

function isSearchTool(definition: unknown): definition is JsonObject {
  return isJsonObject(definition) && definition.type === 'tool_search';
}

function isClientSearch(definition: JsonObject): boolean {
  return definition.execution === 'client';
}
