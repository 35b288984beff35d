import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { contentText } from '../internal/content-text.ts';

/**
 * The part of the Chat Completions API that we read, as of November 2026. Hosts that imitate it add their own fields; anything not
 * named here is carried through unread.
 */
export interface ChatRequest {
  readonly model?: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[] | null;
  readonly tool_choice?: unknown;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean; readonly [unknown: string]: unknown } | null;
  /** How many answers to write in parallel. */
  readonly n?: number | null;
  readonly [unknown: string]: unknown;
}

/** One message of a chat completion request. */
export interface ChatMessage {
  /** `system`, `developer`, `user`, `assistant`, `tool`, or the older `function`. */
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatToolCall[] | null;
  /** Of role `tool`. */
  readonly tool_call_id?: string;
  readonly [unknown: string]: unknown;
}

/** A call in a message. Of type `function`, or `custom` for tools that take one text. */
export interface ChatToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
  readonly [unknown: string]: unknown;
}

/** One chunk of a stream. A chunk without choices (an error, a filter's report) passes through. */
export interface ChatChunk {
  readonly id?: string;
  readonly object?: string;
  readonly created?: number;
  readonly model?: string;
  readonly choices?: readonly ChatChunkChoice[];
  readonly usage?: JsonObject | null;
  readonly [unknown: string]: unknown;
}

export interface ChatChunkChoice {
  readonly index: number;
  readonly delta: ChatDelta;
  readonly finish_reason?: string | null;
  readonly [unknown: string]: unknown;
}

export interface ChatDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatToolCallDelta[] | null;
  readonly [unknown: string]: unknown;
}

/** A piece of a call: the first has the id and the name, the others only text. */
export interface ChatToolCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly custom?: { readonly name?: string; readonly input?: string };
  readonly [unknown: string]: unknown;
}

/** A whole response. */
export interface ChatCompletion {
  readonly id?: string;
  readonly object?: string;
  readonly created?: number;
  readonly model?: string;
  readonly choices: readonly ChatChoice[];
  readonly usage?: JsonObject | null;
  readonly [unknown: string]: unknown;
}

export interface ChatChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly finish_reason?: string | null;
  readonly [unknown: string]: unknown;
}

/** The calls of a message that have an id and a name; others could not be answered. */
export function callsOf(message: ChatMessage): readonly ChatToolCall[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.filter(isToolCall) : [];
}

function isToolCall(value: unknown): value is ChatToolCall {
  return isJsonObject(value) && typeof value.id === 'string' && nameOf(value) !== undefined;
}

/** The name of a call of either type. */
export function nameOf(call: { readonly function?: unknown; readonly custom?: unknown }): string | undefined {
  const inner = isJsonObject(call.function) ? call.function : call.custom;
  return isJsonObject(inner) && typeof inner.name === 'string' && inner.name !== '' ? inner.name : undefined;
}

/** The results right after a message. */
export function resultsAfter(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  let end = index + 1;
  while (messages[end]?.role === 'tool') end += 1;
  return messages.slice(index + 1, end);
}

/** A message's text: all of it, or its text parts. */
export function textOf({ content }: ChatMessage): string {
  return contentText(content);
}

/** A tool found by a client's own search, as hosts that defer tools accept it: `{ type: 'tool_reference', tool_name }`. */
export function isReference(part: unknown): part is JsonObject {
  return isJsonObject(part) && part.type === 'tool_reference' && typeof (part.tool_name ?? part.name) === 'string';
}

/** The names of the tools that a message refers to. */
export function referencesIn({ content }: ChatMessage): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.filter(isReference).map((part) => String(part.tool_name ?? part.name));
}
