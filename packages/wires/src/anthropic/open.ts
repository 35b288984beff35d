import { parseTools } from '@quartermaster/core';
import type { Policy } from '@quartermaster/core/catalog';
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
import { isUnknownSearch, splitTools } from './search-tool.ts';

export interface OpenOptions {
  readonly missingDeferral: Policy;
  readonly deferredAlone: 'client' | 'ours';
}

/** Reads a request's tools, how its client searches, and what its user said last. */
export function openRequest(request: AnthropicRequest, options: OpenOptions): Opened {
  const { search: searchTools, others } = splitTools(request);
  const unknown = others.find(isUnknownSearch);
  if (unknown !== undefined) {
    throw new RequestError('invalid_request', `tools: the search tool ${unknown.type.slice(0, 200)} is not known here`);
  }
  const { missingDeferral } = options;
  const { tools } = parseTools(others, { format: 'anthropic', missingDeferral, onProblem: 'throw' });
  const first = searchTools[0]?.tool;
  const second = searchTools.find(({ tool }) => tool.engine !== first?.engine)?.tool;
  const hasDeferred = options.deferredAlone === 'client' && tools.some((tool) => tool.policy === 'always');
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

/** The latest message of the user's that has text of its own, beside results or alone. */
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
 * A client that searches by itself, as Claude Code does: its results hold references, or it declares deferred tools without
 * any search tool (a placeholder, before the first search).
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
