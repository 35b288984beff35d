export type { OpenAIToolSearchOptions } from '../internal/prepare-request.ts';
export type { ChatChunk, ChatCompletion, ChatMessage, ChatRequest, ChatToolCall } from './chat-shapes-2026-11.ts';
export { openaiChatWire } from './openai-chat-wire.ts';
export { chatWhole } from './whole.ts';
export type { OpenAIClient } from './wrap-openai.ts';
export { toolSearchFetch, withToolSearch } from './wrap-openai.ts';
