export { toInput, writtenInput } from '@quartermaster/core/internal';
export {
  type AnthropicDialect,
  type AnthropicDialectOptions,
  type AnthropicWireOptions,
  anthropicDialect,
  anthropicError,
  anthropicErrorBody,
  anthropicWire,
  createAnthropicDialect,
  createAnthropicWire,
  isToolset,
  writeNamedEvent,
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
export {
  type Bm25SearchTool,
  bm25SearchTool,
  deferred,
  type RegexSearchTool,
  regexSearchTool,
  TOOL_SEARCH_BETA,
  type ToolReferenceResult,
  toolReferenceResult,
} from './open.ts';
export type { AnthropicToolSearchOptions } from './plan-request.ts';
export { type ReadSearch, readSearches, type SearchOutcome } from './recall.ts';
export type { ErrorCodes } from './search-error.ts';
export { anthropicWhole, joinResponses, UpstreamEventError } from './whole.ts';
export {
  type AnthropicClient,
  type AnthropicHttpRequest,
  type AnthropicMiddleware,
  toolSearchMiddleware,
  withToolSearch,
} from './wrap-anthropic.ts';
