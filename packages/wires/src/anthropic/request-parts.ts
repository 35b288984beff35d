import { SEARCH_TOOL_NAMES, SEARCH_TOOL_TYPES } from './search-tool.ts';

/** A search tool for the `tools` of a request, in the SDK's own shape. */
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

/** Lets the model search in its own words. */
export function bm25SearchTool(): Bm25SearchTool {
  return { type: SEARCH_TOOL_TYPES.bm25, name: SEARCH_TOOL_NAMES.bm25 };
}

/** Marks a tool to be loaded when a search finds it. A cache breakpoint goes, since the API refuses the two together. */
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

/** The answer of a search that the client runs itself: the API puts the definitions in place of the names. */
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
