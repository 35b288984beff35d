import { parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import type { Opened } from '@quartermaster/core/loop';
import { checkDeferredTools, checkOtherSearch, isSearchTool } from '../internal/other-spellings.ts';
import { type ChatMessage, type ChatRequest, textOf } from './chat-shapes-2026-11.ts';

/** Reads a request. Throws for several choices at once: each would search separately, and a stream has one history. */
export function openRequest(request: ChatRequest): Opened {
  if (typeof request.n === 'number' && request.n > 1) {
    throw new RequestError(
      'unsupported_request',
      `n is ${request.n}; tool search supports one choice per request. Leave n out, and send several requests for several answers`,
      { context: { parameter: 'n', value: request.n } },
    );
  }
  checkDeferredTools(request);
  checkOtherSearch(request.tools);
  const userText = request.messages[latestUserIndex(request.messages)];
  return {
    tools: readTools(request),
    ...(typeof request.model === 'string' ? { model: request.model } : {}),
    stream: request.stream === true,
    ...(userText === undefined ? {} : { userText: textOf(userText) }),
  };
}

/**
 * The functions and custom tools that a request declares. `defer_loading`, which the API itself does not have, is read. The older
 * `functions` are not part of the catalog: they pass through.
 */
export function readTools(request: ChatRequest): readonly Tool[] {
  const tools = declared(request).filter(isReadable);
  return parseTools(tools, { format: 'openai-chat', missingDeferral: 'automatic', onProblem: 'throw' }).tools;
}

/** Tools of types that only the upstream knows. They are sent as received, and never deferred. */
export function foreignTools(request: ChatRequest): readonly JsonObject[] {
  return declared(request)
    .filter(isJsonObject)
    .filter((tool) => !isReadable(tool) && !isSearchTool(tool));
}

/** The index of the latest user message with text, or -1. */
export function latestUserIndex(messages: readonly ChatMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user' && textOf(message).trim() !== '');
}

function declared(request: ChatRequest): readonly unknown[] {
  return Array.isArray(request.tools) ? request.tools : [];
}

function isReadable(tool: unknown): boolean {
  if (!isJsonObject(tool)) return true;
  return tool.type === undefined || tool.type === 'function' || tool.type === 'custom';
}
