import { EMPTY_MEMORY } from '@quartermaster/core';
import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import { type DeferPlan, type Own, type Shown, type Tell, type View, wrapCall } from '@quartermaster/core/disclosure';
import { ownNamed } from '@quartermaster/core/internal';
import { forcesSearch } from '../internal/forced-search.ts';
import { isSearchTool, withoutDeferredTools } from '../internal/other-spellings.ts';
import { declareTools, modelName, openaiTool, withReadableArguments } from '../internal/shown-tools.ts';
import { toolDeclarer } from '../internal/tool-declarer.ts';
import {
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  callsOf,
  isReference,
  nameOf,
  referencesIn,
  resultsAfter,
} from './chat-shapes-2026-11.ts';
import { foreignTools, latestUserIndex } from './open.ts';
import { argumentsOf } from './recall.ts';
import { forcedName, renderToolChoice } from './tool-choice.ts';

/** The plain request for the upstream. Searches within a turn are already in it as ordinary calls with their answers. */
export function renderRequest(given: ChatRequest, view: View, tell: Tell): ChatRequest {
  const { plan } = view;
  const request = withoutDeferredTools(given);
  if (plan.kind === 'inline') return withoutReferences(withoutMarks(request));
  const tools = declaredTools(request, view, plan);
  const rendered = {
    ...request,
    ...(request.tool_choice === undefined ? {} : { tool_choice: renderToolChoice(request.tool_choice, plan, tools) }),
    messages: withNote(withTail(renderMessages(request, plan, tell), view.tail), plan.note),
  };
  return declareTools(rendered, tools);
}

/** This API has no `defer_loading`, and no search tools of other gateways: an upstream would reject them. */
function withoutMarks(request: ChatRequest): ChatRequest {
  const { tools } = request;
  if (!Array.isArray(tools) || !tools.some((tool) => hasMark(tool) || isSearchTool(tool))) return request;
  const plain = tools.filter((tool) => !isSearchTool(tool)).map(withoutMark);
  const { tools: _, tool_choice: choice, ...rest } = request;
  if (plain.length === 0) return rest;
  return forcesSearch(choice, forcedName(choice)) ? { ...rest, tools: plain } : { ...request, tools: plain };
}

/** All tools are in the list: a reference only needs the name. */
function withoutReferences(request: ChatRequest): ChatRequest {
  if (!request.messages.some((message) => referencesIn(message).length > 0)) return request;
  const asText = (part: unknown): unknown =>
    isReference(part) ? { type: 'text', text: String(part.tool_name ?? part.name) } : part;
  const messages = request.messages.map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(asText) } : message,
  );
  return { ...request, messages };
}

function withoutMark(tool: unknown): unknown {
  if (!isJsonObject(tool) || !hasMark(tool)) return tool;
  const { defer_loading: _, ...rest } = tool;
  const key = tool.type === 'custom' ? 'custom' : 'function';
  const inner = rest[key];
  if (!isJsonObject(inner) || inner.defer_loading === undefined) return rest;
  const { defer_loading: __, ...bare } = inner;
  return { ...rest, [key]: bare };
}

function hasMark(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false;
  const inner = tool.type === 'custom' ? tool.custom : tool.function;
  return tool.defer_loading !== undefined || (isJsonObject(inner) && inner.defer_loading !== undefined);
}

/** Tools of types that only the upstream knows stand before those that the conversation has revealed. */
function declaredTools(request: ChatRequest, view: View, plan: DeferPlan): readonly unknown[] {
  const forced = forcedName(request.tool_choice);
  const names = forced === undefined ? [] : [modelName(plan.snapshot, forced)];
  return listTools({ ...view, plan }, names, foreignTools(request));
}

const listTools = toolDeclarer<JsonObject>({ own: writeOwn, shown: writeShown, nameOf });

function writeOwn(own: Own): JsonObject {
  return { type: 'function', function: { name: own.name, description: own.description, parameters: own.schema } };
}

/** A stub can't be `strict`, which requires a closed schema. A custom tool has no schema to remove: it stays whole. */
function writeShown(shown: Shown): JsonObject {
  const { tool, name } = shown;
  if (shown.as !== 'stub' || tool.extras.freeform === true) {
    return writeTool(openaiTool(tool, 'openai-chat'), 'openai-chat', { name, deferred: false });
  }
  const { strict: _, ...extras } = tool.extras;
  return writeTool({ ...tool, extras }, 'openai-chat', { name, deferred: false, shown });
}

function renderMessages(request: ChatRequest, plan: DeferPlan, tell: Tell): readonly ChatMessage[] {
  return pairCalls(request.messages).map((message) => {
    if (message.role === 'tool') return renderReferences(message, plan, tell);
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls)) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => renderCall(call, plan)) };
  });
}

/** References from a client's own search, as an answer of ours: hosts of this API have none. */
function renderReferences(message: ChatMessage, plan: DeferPlan, tell: Tell): ChatMessage {
  const names = referencesIn(message).map((name) => modelName(plan.snapshot, name));
  if (names.length === 0 || !Array.isArray(message.content)) return message;
  const text = tell({ kind: 'search', queries: [], names }, EMPTY_MEMORY);
  const others = message.content.filter((part: unknown) => !isReference(part));
  return { ...message, content: [...others, { type: 'text', text }] };
}

/** A real call as the model wrote it: wrapped in the bridge form, with the name that the model was shown. */
function renderCall(call: ChatToolCall, plan: DeferPlan): ChatToolCall {
  const known = nameOf(call);
  if (known === undefined) return call;
  if (ownNamed(plan, known) !== undefined)
    return { ...call, ...(call.function === undefined ? {} : { function: withReadableArguments(call.function) }) };
  const name = modelName(plan.snapshot, known);
  const wrapped = wrapCall(plan, { name, arguments: argumentsOf(call) });
  if (wrapped.name !== name) {
    const { custom: _, ...rest } = call;
    const arguments_ = JSON.stringify(wrapped.arguments);
    return { ...rest, type: 'function', function: { name: wrapped.name, arguments: arguments_ } };
  }
  if (name === known) return call;
  if (call.function !== undefined) return { ...call, function: { ...call.function, name } };
  return { ...call, custom: { input: '', ...call.custom, name } };
}

/** At the end of the first message if that instructs the model, otherwise as a separate message: the same place in every turn. */
function withNote(messages: readonly ChatMessage[], note: string | undefined): readonly ChatMessage[] {
  if (note === undefined) return messages;
  const [first, ...rest] = messages;
  if (first === undefined || (first.role !== 'system' && first.role !== 'developer')) {
    return [{ role: 'system', content: note }, ...messages];
  }
  return [withText(first, note), ...rest];
}

function withTail(messages: readonly ChatMessage[], tail: string | undefined): readonly ChatMessage[] {
  if (tail === undefined) return messages;
  const latest = latestUserIndex(messages);
  return messages.map((message, index) => (index === latest ? withText(message, tail) : message));
}

function withText(message: ChatMessage, text: string): ChatMessage {
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] };
  const before = typeof content === 'string' && content !== '' ? `${content}\n\n` : '';
  return { ...message, content: `${before}${text}` };
}

/**
 * The messages with every call answered and no answer without a call, as the API requires: compaction and forks leave halves.
 * Results belong to the message right before them, because upstreams reuse ids.
 */
export function pairCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls)) return [message];
    return pairTurn(message, resultsAfter(messages, index));
  });
}

function pairTurn(message: ChatMessage, results: readonly ChatMessage[]): readonly ChatMessage[] {
  const answered = new Set(results.map((result) => result.tool_call_id));
  const calls = callsOf(message).filter((call) => answered.has(call.id));
  const called = new Set<string | undefined>(calls.map((call) => call.id));
  const kept = results.filter((result) => called.delete(result.tool_call_id));
  if (calls.length > 0) {
    return [calls.length === message.tool_calls?.length ? message : { ...message, tool_calls: calls }, ...kept];
  }
  const { tool_calls: _, ...rest } = message;
  return isEmpty(rest) ? [] : [rest];
}

/** A message with only a role, which the API rejects. */
function isEmpty(message: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(message).every(
    ([key, value]) => key === 'role' || value === null || value === undefined || value === '' || isEmptyList(value),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
