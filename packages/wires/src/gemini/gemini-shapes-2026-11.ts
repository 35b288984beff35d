import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/**
 * The part of `generateContent` and `streamGenerateContent` that we read, as of November 2026, in the spelling that the SDK sends
 * (`camelCase`). Everything else in a request, a part or a response is carried through unread.
 */
export interface GeminiRequest {
  readonly contents: readonly GeminiContent[];
  readonly systemInstruction?: GeminiContent;
  /** Entries with `functionDeclarations`, built-in tools, or both in one. */
  readonly tools?: readonly JsonObject[];
  readonly toolConfig?: GeminiToolConfig;
  readonly generationConfig?: JsonObject;
  /** In the path of an HTTP request; in the body of a batched one. */
  readonly model?: string;
  readonly [unknown: string]: unknown;
}

/** How the tools of a request are used. */
export interface GeminiToolConfig {
  readonly functionCallingConfig?: GeminiCallingConfig;
  readonly includeServerSideToolInvocations?: boolean;
  readonly [unknown: string]: unknown;
}

/** Whether the model must call a function, and which one. */
export interface GeminiCallingConfig {
  /** `AUTO`, `ANY`, `NONE` or `VALIDATED`. */
  readonly mode?: string;
  readonly allowedFunctionNames?: readonly string[];
  readonly [unknown: string]: unknown;
}

/** One message of a conversation. */
export interface GeminiContent {
  /** `user` or `model`; `function` in older histories, and missing in a system instruction. */
  readonly role?: string;
  readonly parts?: readonly GeminiPart[];
  readonly [unknown: string]: unknown;
}

/** A part has one kind of data, and fields that must be returned unchanged, above all `thoughtSignature`. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: GeminiFunctionCall;
  readonly functionResponse?: GeminiFunctionResponse;
  /** A call that the server answers itself. */
  readonly toolCall?: GeminiToolCall;
  readonly toolResponse?: GeminiToolResponse;
  readonly [unknown: string]: unknown;
}

/** A call to a function that the client runs. */
export interface GeminiFunctionCall {
  /** Often missing: then calls and responses are paired by name and order. */
  readonly id?: string;
  readonly name?: string;
  readonly args?: JsonObject;
  /** Arguments in pieces, if the request asked for them. */
  readonly partialArgs?: readonly JsonObject[];
  readonly willContinue?: boolean;
  readonly [unknown: string]: unknown;
}

/** The client's answer to a function call. */
export interface GeminiFunctionResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: JsonObject;
  readonly [unknown: string]: unknown;
}

/** A call to a tool that the server runs. */
export interface GeminiToolCall {
  readonly id?: string;
  readonly toolType?: string;
  readonly args?: JsonObject;
  readonly [unknown: string]: unknown;
}

/** The server's answer to a call to its own tool. */
export interface GeminiToolResponse {
  readonly id?: string;
  readonly toolType?: string;
  readonly response?: JsonObject;
  readonly [unknown: string]: unknown;
}

/** A whole response, or one chunk of a stream: they have the same shape. */
export interface GeminiResponse {
  readonly candidates?: readonly GeminiCandidate[];
  readonly usageMetadata?: JsonObject;
  readonly responseId?: string;
  readonly [unknown: string]: unknown;
}

/** One answer of a response. */
export interface GeminiCandidate {
  readonly content?: GeminiContent;
  readonly finishReason?: string;
  readonly index?: number;
  /** Lets the SDK resume the same request. */
  readonly continuationToken?: string;
  readonly [unknown: string]: unknown;
}

/** A content's parts. Anything that is not a part is left out. */
export function partsOf(content: GeminiContent | undefined): readonly GeminiPart[] {
  return Array.isArray(content?.parts) ? content.parts.filter(isJsonObject) : [];
}

/** What the user wrote: text that is not a thought. */
export function textOf(content: GeminiContent): string {
  return partsOf(content)
    .flatMap((part) =>
      typeof part.text === 'string' && part.thought !== true && part.text.trim() !== '' ? [part.text] : [],
    )
    .join('\n');
}

/** The index of the latest user content with text, or -1. */
export function latestTextIndex(contents: readonly GeminiContent[]): number {
  return contents.findLastIndex((content) => content.role !== 'model' && textOf(content) !== '');
}

/** The contents of a request, in whatever form. */
export function contentsOf(request: GeminiRequest): readonly GeminiContent[] {
  return Array.isArray(request.contents) ? request.contents.filter(isJsonObject) : [];
}
