import type { JsonObject } from '@quartermaster/core/catalog';
import type { AnthropicEvent } from '@quartermaster/wires/anthropic';
import type { SearchEngine } from './create-agent-searcher.ts';
import type { PermissionMode } from './permissions/index.ts';
import type { McpServerStatus } from './servers/index.ts';

/** Everything that `query` yields, in the format of the agent SDK. */
export type SDKMessage =
  | SDKSystemMessage
  | SDKCompactBoundaryMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKPartialAssistantMessage
  | SDKResultMessage;

interface MessageBase {
  readonly uuid: string;
  readonly session_id: string;
}

/** The first message of all. */
export interface SDKSystemMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly apiKeySource: string;
  /** Every tool that can be used, whether the model sees it or has to search for it. */
  readonly tools: readonly string[];
  readonly mcp_servers: readonly McpServerStatus[];
  /** Our own addition: the search engine and the reason for it. `auto` is decided by the first search. */
  readonly tool_search: SearchEngine;
  /** The subagents that the model can give tasks to. */
  readonly agents: readonly string[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
}

/** Earlier messages were replaced by a summary. */
export interface SDKCompactBoundaryMessage extends MessageBase {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly compact_metadata: { readonly trigger: 'manual' | 'auto'; readonly pre_tokens: number };
}

/** One response of the model, including its searches. */
export interface SDKAssistantMessage extends MessageBase {
  readonly type: 'assistant';
  readonly message: SDKAssistantContent;
  /** The call that a subagent works on; null outside of subagents. */
  readonly parent_tool_use_id: string | null;
}

/** A message of the model, as the Messages API has it. */
export interface SDKAssistantContent {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly SDKContentBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: Usage;
}

/** One block of a message of the model. */
export type SDKContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  /** A search for tools; its result is below. */
  | { readonly type: 'server_tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool_search_tool_result'; readonly tool_use_id: string; readonly content: JsonObject };

/** What the model gets in the user's role: a prompt, or the results of tools. Prompts are not yielded again. */
export interface SDKUserMessage {
  readonly type: 'user';
  readonly message: {
    readonly role: 'user';
    readonly content: string | readonly SDKUserBlock[];
  };
  readonly parent_tool_use_id: string | null;
  readonly session_id: string;
  readonly uuid?: string;
}

/** One block of a user message. */
export type SDKUserBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: JsonObject }
  | { readonly type: 'document'; readonly source: JsonObject }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: string | readonly SDKResultBlock[];
      readonly is_error?: boolean;
    };

/** One block of a tool's result. */
export type SDKResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: ImageSource };

/** An image as base64 text. */
export interface ImageSource {
  readonly type: 'base64';
  readonly media_type: string;
  readonly data: string;
}

/** A part of a response as it arrives. Only with `includePartialMessages`. */
export interface SDKPartialAssistantMessage extends MessageBase {
  readonly type: 'stream_event';
  readonly event: AnthropicEvent;
  readonly parent_tool_use_id: string | null;
}

/** The last message of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

interface ResultBase extends MessageBase {
  readonly type: 'result';
  readonly duration_ms: number;
  /** How much of that time the model took. */
  readonly duration_api_ms: number;
  readonly is_error: boolean;
  /** Responses of the model. */
  readonly num_turns: number;
  /** For the whole query so far, including subagents. 0 unless `prices` or `costOf` is given. */
  readonly total_cost_usd: number;
  /** For this prompt, without subagents. */
  readonly usage: Usage;
  /** For the whole query so far, by model, including subagents. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly SDKPermissionDenial[];
}

/** The last message of a turn that succeeded. */
export interface SDKResultSuccess extends ResultBase {
  readonly subtype: 'success';
  /** The text of the last response. */
  readonly result: string;
  readonly stop_reason: string | null;
  /** The result in the format of `outputFormat`. */
  readonly structured_output?: unknown;
}

/** The last message of a turn that failed. */
export interface SDKResultError extends ResultBase {
  readonly subtype:
    | 'error_max_turns'
    | 'error_during_execution'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly errors: readonly string[];
}

/** A denied call. */
export interface SDKPermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: JsonObject;
}

/** The tokens of a response, as in the Messages API. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly server_tool_use: { readonly tool_search_requests: number };
}

/** The usage of one model, and its cost. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly costUSD: number;
  readonly contextWindow: number;
}
