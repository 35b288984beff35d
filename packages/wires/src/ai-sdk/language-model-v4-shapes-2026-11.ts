import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';

/** The AI SDK's provider interface, version 4, as of November 2026: its own types under this package's names. */
export type ModelRequest = LanguageModelV4CallOptions;
/** One part of a language model's stream. */
export type ModelPart = LanguageModelV4StreamPart;
/** A language model's whole response. */
export type ModelResult = LanguageModelV4GenerateResult;
export type ModelContent = LanguageModelV4Content;
export type ModelMessage = LanguageModelV4Message;
export type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;
export type AssistantPart = AssistantMessage['content'][number];
export type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
export type CallPart = LanguageModelV4ToolCallPart;
export type ResultPart = LanguageModelV4ToolResultPart;
export type Metadata = NonNullable<CallPart['providerOptions']>;

/** The text of a user's message. */
export function textOf(message: ModelMessage): string {
  if (message.role !== 'user') return '';
  return message.content
    .flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))
    .join('\n');
}

/** The index of the latest user message with text, or -1. */
export function latestTextIndex(messages: readonly ModelMessage[]): number {
  return messages.findLastIndex((message) => textOf(message) !== '');
}

/** The tools of a request as a list. */
export function toolsOf(request: ModelRequest): NonNullable<ModelRequest['tools']> {
  return request.tools ?? [];
}
