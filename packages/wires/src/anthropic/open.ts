import { type Plan, parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject, type Policy } from '@quartermaster/core/catalog';
import type { Own } from '@quartermaster/core/disclosure';
import { RequestError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import type { Opened, OpenedSearch } from '@quartermaster/core/loop';
import {
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
  isText,
  isToolReference,
  isToolResult,
  isToolUse,
} from './anthropic-shapes-2026-11.ts';

interface OpenOptions {
  readonly missingDeferral: Policy;
  readonly deferredAlone: 'client' | 'ours';
}

/** Reads a request's tools, how its client searches, and the user's latest text. */
export function openRequest(request: AnthropicRequest, options: OpenOptions): Opened {
  const { search: searchTools, others } = splitTools(request);
  const unknown = others.find(isUnknownSearch);
  if (unknown !== undefined) {
    throw new RequestError('invalid_request', `tools: the search tool ${unknown.type.slice(0, 200)} is not known here`);
  }
  const { missingDeferral } = options;
  const { tools } = parseTools(others, { format: 'anthropic', missingDeferral, onProblem: 'throw' });
  const hasDeferred = options.deferredAlone === 'client' && tools.some((tool) => tool.policy === 'always');
  return opened(request, { tools, searchTools, hasDeferred });
}

/** The same for a request whose tools were read before; `definitions` are the ones that show how its client searches. */
export function openKnownTools(request: AnthropicRequest, definitions: readonly JsonObject[]): Opened {
  const { search: searchTools, others } = splitTools({ tools: definitions });
  const hasDeferred = others.some((definition) => isJsonObject(definition) && definition.defer_loading === true);
  return opened(request, { tools: [], searchTools, hasDeferred });
}

function opened(
  request: AnthropicRequest,
  read: {
    readonly tools: readonly Tool[];
    readonly searchTools: readonly { readonly tool: SearchTool }[];
    readonly hasDeferred: boolean;
  },
): Opened {
  const { tools, searchTools, hasDeferred } = read;
  const first = searchTools[0]?.tool;
  const second = searchTools.find(({ tool }) => tool.engine !== first?.engine)?.tool;
  const search: OpenedSearch | undefined =
    first === undefined
      ? clientSearch(request, hasDeferred)
      : { kind: 'hosted', ...first, ...defined({ also: second }) };
  const userText = latestText(request.messages);
  return {
    tools,
    ...(typeof request.model === 'string' ? { model: request.model } : {}),
    stream: request.stream === true,
    ...defined({ search, userText }),
  };
}

/** The latest user message with text of its own, with or without results. */
export function latestTextIndex(messages: readonly AnthropicMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user' && textOf(message) !== '');
}

function latestText(messages: readonly AnthropicMessage[]): string | undefined {
  const message = messages[latestTextIndex(messages)];
  return message === undefined ? undefined : textOf(message);
}

function textOf(message: AnthropicMessage): string {
  return blocksOf(message)
    .flatMap((block) => (isText(block) && block.text.trim() !== '' ? [block.text] : []))
    .join('\n');
}

/**
 * A client that searches itself, as Claude Code does: its results contain references, or it declares deferred tools without
 * a search tool (a placeholder, before the first search).
 */
function clientSearch(request: AnthropicRequest, hasDeferred: boolean): OpenedSearch | undefined {
  const referring = request.messages
    .flatMap((message) => (message.role === 'user' ? blocksOf(message) : []))
    .find((block) => isToolResult(block) && Array.isArray(block.content) && block.content.some(isToolReference));
  if (referring === undefined) return hasDeferred ? { kind: 'client' } : undefined;
  const call = request.messages
    .flatMap((message) => (message.role === 'assistant' ? blocksOf(message) : []))
    .find((block) => isToolUse(block) && block.id === referring.tool_use_id);
  return call !== undefined && isToolUse(call) ? { kind: 'client', name: call.name } : { kind: 'client' };
}

/** A search tool that the provider would run. */
export interface SearchTool {
  readonly engine: 'regex' | 'bm25';
  readonly name: string;
}

/** The API's type names end with the date of their version; names without a date mean the latest. */
const SEARCH_TYPE = /^tool_search_tool_(regex|bm25)(?:_20251119)?$/;

/** The names that the API gives its search tools. */
export const SEARCH_TOOL_NAMES = { regex: 'tool_search_tool_regex', bm25: 'tool_search_tool_bm25' } as const;

/** The types of the search tools as first released. */
export const SEARCH_TOOL_TYPES = {
  regex: 'tool_search_tool_regex_20251119',
  bm25: 'tool_search_tool_bm25_20251119',
} as const;

/** Whether a definition requests an unknown kind of search: serving another one, or none, would go unnoticed. */
export function isUnknownSearch(definition: unknown): definition is JsonObject & { readonly type: string } {
  if (!isJsonObject(definition) || typeof definition.type !== 'string') return false;
  return definition.type.startsWith('tool_search_tool') && !SEARCH_TYPE.test(definition.type);
}

/** Whether a definition is a search tool as other gateways (`openrouter:tool_search`), or OpenAI, declare it: no host of this API knows it. */
export function isForeignSearch(definition: unknown): boolean {
  return isJsonObject(definition) && typeof definition.type === 'string' && FOREIGN_SEARCH.test(definition.type);
}

const FOREIGN_SEARCH = /^(?:[\w-]+:)?tool_search$/;

/** Reads a definition as a search tool, with a known version date or none. A missing name follows from the type. */
export function readSearchTool(definition: unknown): SearchTool | undefined {
  if (!isJsonObject(definition) || typeof definition.type !== 'string') return undefined;
  const engine = isForeignSearch(definition) ? 'bm25' : SEARCH_TYPE.exec(definition.type)?.[1];
  if (engine !== 'regex' && engine !== 'bm25') return undefined;
  const { name } = definition;
  return { engine, name: typeof name === 'string' && name !== '' ? name : SEARCH_TOOL_NAMES[engine] };
}

/** A request's definitions: search tools, and all others. */
export function splitTools(request: { readonly tools?: unknown }): {
  readonly search: readonly { readonly definition: JsonObject; readonly tool: SearchTool }[];
  readonly others: readonly unknown[];
} {
  const search: { readonly definition: JsonObject; readonly tool: SearchTool }[] = [];
  const others: unknown[] = [];
  for (const definition of Array.isArray(request.tools) ? request.tools : []) {
    const tool = readSearchTool(definition);
    if (tool === undefined) others.push(definition);
    else search.push({ definition, tool });
  }
  return { search, others };
}

/** A search's input with its engine's key: models write `query` for a regex too. Other keys stay. */
export function searchInput(engine: SearchTool['engine'], arguments_: unknown): JsonObject {
  const [right, wrong] = engine === 'regex' ? (['pattern', 'query'] as const) : (['query', 'pattern'] as const);
  if (typeof arguments_ === 'string') return { [right]: arguments_ };
  if (!isJsonObject(arguments_)) return {};
  if (Object.hasOwn(arguments_, right) || !Object.hasOwn(arguments_, wrong)) return arguments_;
  const { [wrong]: value, ...rest } = arguments_;
  return { [right]: value ?? null, ...rest };
}

/** Our search tool for the client's tool of this name; the first one if the name comes from another conversation. */
export function ownSearch(plan: Plan, name: string): Own | undefined {
  const searches = plan.kind === 'defer' ? plan.own.filter(({ role }) => role === 'search') : [];
  return (
    searches.find((own) => own.name === name) ??
    searches.find((own) => engineIn(own) === engineNamed(name)) ??
    searches[0]
  );
}

/** The engine whose input one of our search tools takes. */
export function engineIn(own: Own): SearchTool['engine'] {
  const { properties } = own.schema;
  return isJsonObject(properties) && Object.hasOwn(properties, 'pattern') ? 'regex' : 'bm25';
}

function engineNamed(name: string): SearchTool['engine'] {
  return name.includes('regex') ? 'regex' : 'bm25';
}

/** A search tool for the `tools` of a request, in the SDK's type. */
export interface RegexSearchTool {
  type: typeof SEARCH_TOOL_TYPES.regex;
  name: typeof SEARCH_TOOL_NAMES.regex;
}

/** Anthropic's search tool for natural-language queries. */
export interface Bm25SearchTool {
  type: typeof SEARCH_TOOL_TYPES.bm25;
  name: typeof SEARCH_TOOL_NAMES.bm25;
}

/** Lets the model search with regular expressions, in Python's syntax. */
export function regexSearchTool(): RegexSearchTool {
  return { type: SEARCH_TOOL_TYPES.regex, name: SEARCH_TOOL_NAMES.regex };
}

/** Lets the model search in plain language. */
export function bm25SearchTool(): Bm25SearchTool {
  return { type: SEARCH_TOOL_TYPES.bm25, name: SEARCH_TOOL_NAMES.bm25 };
}

/** Marks a tool to be loaded when a search finds it. Removes a cache breakpoint, because the API rejects the two together. */
export function deferred<Tool extends object>(tool: Tool): Omit<Tool, 'cache_control'> & { defer_loading: true } {
  const { cache_control: _, ...rest } = tool as Tool & { cache_control?: unknown };
  return { ...rest, defer_loading: true };
}

/** A `tool_result` that names found tools by reference. */
export interface ToolReferenceResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string | { type: 'tool_reference'; tool_name: string }[];
}

/** The answer of a search that the client runs itself: the API replaces the names with the definitions. */
export function toolReferenceResult(toolUseId: string, names: readonly string[]): ToolReferenceResult {
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content:
      names.length === 0
        ? 'No matching deferred tools found'
        : names.map((name) => ({ type: 'tool_reference', tool_name: name })),
  };
}

/** For the `anthropic-beta` header of hosts on which tool search is not generally available yet. */
export const TOOL_SEARCH_BETA = 'advanced-tool-use-2025-11-20';
