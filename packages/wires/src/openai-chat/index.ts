export { openaiErrorBody } from '../internal/openai-api.ts';
export type { OpenAIClient, OpenAIToolSearchOptions } from '../internal/openai-fetch.ts';
export { chatDialect, openaiChatWire } from './chat-dialect.ts';
export type { ChatChunk, ChatCompletion, ChatMessage, ChatRequest, ChatToolCall } from './chat-shapes-2026-11.ts';
export { chatWhole } from './whole.ts';
export { toolSearchFetch, withToolSearch } from './wrap-openai.ts';
