import { parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import type { Opened, OpenedSearch } from '@quartermaster/core/loop';
import { contentText } from '../internal/content-text.ts';
import { checkDeferredTools, checkOtherSearch, isOtherSearch } from '../internal/other-spellings.ts';
import { isSearchOutput, itemsOf, type ResponsesItem, type ResponsesRequest } from './responses-shapes-2026-11.ts';

/**
 * Reads a request. Throws for one whose history is stored elsewhere: what it has revealed can only be read from the items. References to
 * what the transcript knows have been resolved before.
 */
export function openRequest(request: ResponsesRequest): Opened {
  for (const [parameter, advice] of Object.entries(REFUSED)) {
    const value = request[parameter];
    if (value === undefined || value === null || value === false) continue;
    throw new RequestError('unsupported_request', `${parameter} can't be used with tool search: ${advice}`, {
      context: { parameter, value },
    });
  }
  checkDeferredTools(request);
  checkOtherSearch(request.tools);
  const search = openSearch(request);
  const items = itemsOf(request);
  const latest = items[latestUserIndex(items)];
  return {
    tools: readTools(request),
    ...(typeof request.model === 'string' ? { model: request.model } : {}),
    stream: request.stream === true,
    ...defined({ search }),
    ...(latest === undefined ? {} : { userText: contentText(latest.content) }),
  };
}

/**
 * What a request declares, without its search tool. Members of a namespace have it as their server. If the client searches,
 * what it has found is declared too: those definitions are in its items and nowhere else.
 */
export function readTools(request: ResponsesRequest): readonly Tool[] {
  const read = (definitions: readonly unknown[]): readonly Tool[] =>
    parseTools(definitions, { format: 'openai-responses', missingDeferral: 'automatic', onProblem: 'throw' }).tools;
  const declared = read(
    (Array.isArray(request.tools) ? request.tools : []).filter((tool) => !isSearchTool(tool) && !isOtherSearch(tool)),
  );
  // The catalog rejects a tool that is declared twice.
  if (new Set(declared.map(({ id }) => id)).size < declared.length) return declared;
  const byId = new Map<string, Tool>();
  // A search may find the same tool again; the declaration counts.
  for (const tool of [...read(loadedTools(request)), ...declared]) byId.set(tool.id, tool);
  return byId.size === declared.length ? declared : [...byId.values()];
}

/** The definitions found by a client that searches itself. */
export function loadedTools(request: ResponsesRequest): readonly unknown[] {
  if (openSearch(request)?.kind !== 'client') return [];
  return itemsOf(request).flatMap((item) =>
    isSearchOutput(item) && item.execution !== 'server' && Array.isArray(item.tools) ? item.tools : [],
  );
}

/** The search tool that a request declares. */
export function searchTool(request: ResponsesRequest): JsonObject | undefined {
  return Array.isArray(request.tools) ? request.tools.find(isSearchTool) : undefined;
}

export function openSearch(request: ResponsesRequest): OpenedSearch | undefined {
  const tool = searchTool(request);
  if (tool === undefined) return undefined;
  if (tool.execution === 'client') return { kind: 'client' };
  return { kind: 'hosted', engine: 'any', name: 'tool_search' };
}

/** The index of the latest user message with text, or -1. */
export function latestUserIndex(items: readonly ResponsesItem[]): number {
  return items.findLastIndex((item) => item.role === 'user' && contentText(item.content).trim() !== '');
}

export function isSearchTool(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && tool.type === 'tool_search';
}

const HISTORY =
  'the history is needed to know which tools were found. Send all items in input, followed by the output of the response';

const REFUSED: Readonly<Record<string, string>> = {
  previous_response_id: `this response is not stored here, and ${HISTORY}`,
  conversation: `this conversation is not stored here, and ${HISTORY}, or make a conversation with POST /v1/conversations`,
  background: 'no one would answer the searches of a response that is fetched later. Leave it out, and stream instead',
};
