import type { Plan } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Own } from '@quartermaster/core/disclosure';

/** A search tool that the provider would run. */
export interface SearchTool {
  readonly engine: 'regex' | 'bm25';
  readonly name: string;
}

/** The API names the tools with the date of their version; names alone are the latest. */
const SEARCH_TYPE = /^tool_search_tool_(regex|bm25)(?:_20251119)?$/;

/** The names that the API gives its search tools. */
export const SEARCH_TOOL_NAMES = { regex: 'tool_search_tool_regex', bm25: 'tool_search_tool_bm25' } as const;

/** The types of the search tools as first released. */
export const SEARCH_TOOL_TYPES = {
  regex: 'tool_search_tool_regex_20251119',
  bm25: 'tool_search_tool_bm25_20251119',
} as const;

/** Whether a definition asks for an unknown kind of search: served as another one, or not at all, it would go unnoticed. */
export function isUnknownSearch(definition: unknown): definition is JsonObject & { readonly type: string } {
  if (!isJsonObject(definition) || typeof definition.type !== 'string') return false;
  return definition.type.startsWith('tool_search_tool') && !SEARCH_TYPE.test(definition.type);
}

/** Reads a definition as a search tool, of a known date or none. The name follows from the type where it is missing. */
export function readSearchTool(definition: unknown): SearchTool | undefined {
  if (!isJsonObject(definition) || typeof definition.type !== 'string') return undefined;
  const engine = SEARCH_TYPE.exec(definition.type)?.[1];
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

/** A search's input under the key of its engine: models write `query` for a regex too. Other keys stay. */
export function searchInput(engine: SearchTool['engine'], arguments_: unknown): JsonObject {
  const [right, wrong] = engine === 'regex' ? (['pattern', 'query'] as const) : (['query', 'pattern'] as const);
  if (typeof arguments_ === 'string') return { [right]: arguments_ };
  if (!isJsonObject(arguments_)) return {};
  if (Object.hasOwn(arguments_, right) || !Object.hasOwn(arguments_, wrong)) return arguments_;
  const { [wrong]: value, ...rest } = arguments_;
  return { [right]: value ?? null, ...rest };
}

/** Our search tool that stands for the client's of this name; the first where the name is of another conversation. */
export function ownSearch(plan: Plan, name: string): Own | undefined {
  const searches = plan.kind === 'defer' ? plan.own.filter(({ role }) => role === 'search') : [];
  return (
    searches.find((own) => own.name === name) ??
    searches.find((own) => engineIn(own) === engineNamed(name)) ??
    searches[0]
  );
}

/** The engine whose input a search tool of ours takes. */
export function engineIn(own: Own): SearchTool['engine'] {
  const { properties } = own.schema;
  return isJsonObject(properties) && Object.hasOwn(properties, 'pattern') ? 'regex' : 'bm25';
}

function engineNamed(name: string): SearchTool['engine'] {
  return name.includes('regex') ? 'regex' : 'bm25';
}
