import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/**
 * The part of the Messages API that we read, as of November 2026, in both of its versions (`2023-06-01`, `2026-10-21`). Everything
 * else in a request, a block or an event is carried through unread.
 */
export interface AnthropicRequest {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly messages: readonly AnthropicMessage[];
  readonly system?: string | readonly AnthropicBlock[];
  /** Definitions of every kind: custom tools, search tools, tools that Anthropic defines, toolsets. */
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: AnthropicToolChoice;
  readonly stream?: boolean;
  readonly [unknown: string]: unknown;
}

/** Whether the model must call a tool, and which one. */
export interface AnthropicToolChoice {
  readonly type: string;
  /** Of type `tool`. */
  readonly name?: string;
  readonly [unknown: string]: unknown;
}

/** One message of a request. */
export interface AnthropicMessage {
  /** `user`, `assistant`, or `system` within a conversation. */
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
  readonly [unknown: string]: unknown;
}

/** Any content block. The kinds that we act on have a type and a guard below. */
export interface AnthropicBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface TextBlock extends AnthropicBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolUseBlock extends AnthropicBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock extends AnthropicBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
}

export interface ToolReferenceBlock extends AnthropicBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

/** A call that the provider answers itself; for us, a search. */
export interface ServerToolUseBlock extends AnthropicBlock {
  readonly type: 'server_tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface SearchResultBlock extends AnthropicBlock {
  readonly type: 'tool_search_tool_result';
  readonly tool_use_id: string;
  readonly content: unknown;
}

export function isText(block: unknown): block is TextBlock {
  return isBlock(block) && block.type === 'text' && typeof block.text === 'string';
}

export function isToolUse(block: unknown): block is ToolUseBlock {
  return isBlock(block) && block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string';
}

export function isToolResult(block: unknown): block is ToolResultBlock {
  return isBlock(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string';
}

export function isToolReference(block: unknown): block is ToolReferenceBlock {
  return isBlock(block) && block.type === 'tool_reference' && typeof block.tool_name === 'string';
}

export function isServerToolUse(block: unknown): block is ServerToolUseBlock {
  return (
    isBlock(block) && block.type === 'server_tool_use' && typeof block.id === 'string' && typeof block.name === 'string'
  );
}

export function isSearchResult(block: unknown): block is SearchResultBlock {
  return isBlock(block) && block.type === 'tool_search_tool_result' && typeof block.tool_use_id === 'string';
}

export function isBlock(value: unknown): value is AnthropicBlock {
  return isJsonObject(value) && typeof value.type === 'string';
}

/** A message's blocks; a string is one text block. Anything that is not a block is left out. */
export function blocksOf(message: { readonly content: unknown }): readonly AnthropicBlock[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

/** A whole response. */
export interface AnthropicResponse {
  readonly content: readonly AnthropicBlock[];
  readonly stop_reason?: string | null;
  readonly stop_sequence?: string | null;
  readonly usage?: AnthropicUsage;
  readonly [unknown: string]: unknown;
}

/** The token usage of a response. */
export interface AnthropicUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly [unknown: string]: unknown;
}

/** The data of one stream event. Events of other types pass through unchanged. */
export type AnthropicEvent =
  | { readonly type: 'message_start'; readonly message: AnthropicResponse }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: AnthropicBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: AnthropicBlock }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | MessageDeltaEvent
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }
  | { readonly type: 'error'; readonly error: AnthropicErrorBody };

/** The event near the end of a stream with the stop reason and the usage. */
export interface MessageDeltaEvent {
  readonly type: 'message_delta';
  readonly delta: {
    readonly stop_reason?: string | null;
    readonly stop_sequence?: string | null;
    readonly [unknown: string]: unknown;
  };
  readonly usage?: AnthropicUsage;
  readonly [unknown: string]: unknown;
}

/** The error object of a failed request. */
export interface AnthropicErrorBody {
  readonly type: string;
  readonly message: string;
  readonly [unknown: string]: unknown;
}
