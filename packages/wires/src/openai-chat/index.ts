export { openaiErrorBody } from '../internal/openai-api.ts';
export type { OpenAIToolSearchOptions } from '../internal/prepare-request.ts';
export type { OpenAIClient } from '../internal/search-fetch.ts';
export { chatDialect, openaiChatWire } from './chat-dialect.ts';
export type { ChatChunk, ChatCompletion, ChatMessage, ChatRequest, ChatToolCall } from './chat-shapes-2026-11.ts';
export { chatWhole } from './whole.ts';
export { toolSearchFetch, withToolSearch } from './wrap-openai.ts';
