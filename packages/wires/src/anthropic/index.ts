export { toInput, writtenInput } from '../internal/unreadable-input.ts';
export type { AnthropicDialect, AnthropicDialectOptions } from './anthropic-dialect.ts';
export {
  anthropicDialect,
  anthropicError,
  anthropicErrorBody,
  createAnthropicDialect,
  isToolset,
} from './anthropic-dialect.ts';
export type {
  AnthropicBlock,
  AnthropicErrorBody,
  AnthropicEvent,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicResponse,
  AnthropicToolChoice,
  AnthropicUsage,
  MessageDeltaEvent,
} from './anthropic-shapes-2026-11.ts';
export type { AnthropicWireOptions } from './anthropic-wire.ts';
export { anthropicWire, createAnthropicWire } from './anthropic-wire.ts';
export type { AnthropicToolSearchOptions } from './plan-request.ts';
export type { SearchOutcome } from './read-history.ts';
export type { ReadSearch } from './read-searches.ts';
export { readSearches } from './read-searches.ts';
export type { Bm25SearchTool, RegexSearchTool, ToolReferenceResult } from './request-parts.ts';
export { bm25SearchTool, deferred, regexSearchTool, TOOL_SEARCH_BETA, toolReferenceResult } from './request-parts.ts';
export { joinResponses } from './response-closing.ts';
export type { ErrorCodes } from './search-error.ts';
export { UpstreamEventError } from './upstream-event-error.ts';
export { anthropicWhole } from './whole.ts';
export type { AnthropicClient, AnthropicHttpRequest, AnthropicMiddleware } from './wrap-anthropic.ts';
export { toolSearchMiddleware, withToolSearch } from './wrap-anthropic.ts';
export { writeNamedEvent } from './write-event.ts';
