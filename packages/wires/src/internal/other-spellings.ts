import { isJsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';

/**
 * A gateway's search tool, such as `openrouter:tool_search` and `orq:tool_search`, or Anthropic's, which LiteLLM's clients declare in
 * OpenAI's APIs: ours replaces it. A `tool_choice` names such a tool by the same type.
 */
export function isOtherSearch(tool: unknown): boolean {
  return isJsonObject(tool) && typeof tool.type === 'string' && OTHER_SEARCH.test(tool.type);
}

/** The same, or OpenAI's own search tool. */
export function isSearchTool(tool: unknown): boolean {
  return isOtherSearch(tool) || (isJsonObject(tool) && tool.type === 'tool_search');
}

const OTHER_SEARCH = /^(?:[\w-]+:tool_search|tool_search_tool_(?:regex|bm25)(?:_20251119)?)$/;

/** How many tools a gateway's search is to return at most. Undefined if the client leaves it open. */
export function requestedLimit(tools: readonly unknown[]): number | undefined {
  for (const tool of tools) {
    const { parameters } = isOtherSearch(tool) ? (tool as { readonly parameters?: unknown }) : {};
    const most = isJsonObject(parameters) ? parameters.max_results : undefined;
    if (typeof most === 'number' && Number.isInteger(most) && most > 0) return most;
  }
  return undefined;
}

/** Throws for a version of Anthropic's search tool that is not known: serving another one, or none, would go unnoticed. */
export function checkOtherSearch(tools: unknown): void {
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isJsonObject(tool) || typeof tool.type !== 'string') continue;
    if (!tool.type.startsWith('tool_search_tool') || OTHER_SEARCH.test(tool.type)) continue;
    const known = 'tool_search_tool_regex_20251119, tool_search_tool_bm25_20251119';
    const message = `tools: the search tool ${tool.type.slice(0, 200)} is not known here; known: ${known}`;
    throw new RequestError('unsupported_request', message, { context: { parameter: 'tools' } });
  }
}

/** The names by which such tools are forced: theirs are fixed. */
export function isOtherSearchName(name: string | undefined): boolean {
  return name === 'tool_search_tool_regex' || name === 'tool_search_tool_bm25';
}

/**
 * `deferred_tools`, by which OpenRouter's clients request a search over the tools that they mark. Throws for a client-executed search,
 * which can't be answered in this field, and for any shape that the field does not have: tools in it would be lost.
 */
export function checkDeferredTools(request: object): void {
  const { deferred_tools: control } = request as { readonly deferred_tools?: unknown };
  if (control === undefined || control === null) return;
  if (!isJsonObject(control))
    throw refused('is not an object such as {"search": {"type": "bm25"}}; mark tools with defer_loading');
  const unknown = Object.keys(control).find((key) => !CONTROL_KEYS.has(key));
  if (unknown !== undefined) throw refused(`has ${JSON.stringify(unknown)}; allowed: ${[...CONTROL_KEYS].join(', ')}`);
  const type = isJsonObject(control.search) ? control.search.type : undefined;
  if (type === undefined || type === 'bm25' || type === 'regex') return;
  throw refused(
    `.search.type is ${JSON.stringify(type)}; bm25 and regex are served. A client that searches by itself returns tool_reference parts in tool messages instead`,
  );
}

const CONTROL_KEYS: ReadonlySet<string> = new Set(['protocol', 'profile', 'search', 'validation']);

function refused(problem: string): RequestError {
  const message = `deferred_tools${problem.startsWith('.') ? '' : ' '}${problem}`;
  return new RequestError('unsupported_request', message, { context: { parameter: 'deferred_tools' } });
}

/** The request without it: a host would reject an unknown field. */
export function withoutDeferredTools<Request extends object>(request: Request): Request {
  if (!('deferred_tools' in request)) return request;
  const { deferred_tools: _, ...rest } = request;
  return rest as unknown as Request;
}
