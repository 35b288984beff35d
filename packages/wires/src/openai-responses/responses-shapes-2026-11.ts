import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** The part of the Responses API that we read, as of November 2026. Everything else in a request, an item or an event is carried through unread. */
export interface ResponsesRequest {
  readonly model?: string;
  /** A text is one user message. */
  readonly input?: string | readonly ResponsesItem[];
  readonly instructions?: string | null;
  /** Functions, custom tools, namespaces of both, tools that the provider runs, and its search tool. */
  readonly tools?: readonly unknown[] | null;
  readonly tool_choice?: unknown;
  readonly stream?: boolean | null;
  readonly [unknown: string]: unknown;
}

/** Any item of an input or an output. The type of a message may be missing. */
export interface ResponsesItem {
  readonly type?: string;
  readonly id?: string | null;
  readonly role?: string;
  readonly content?: unknown;
  readonly [unknown: string]: unknown;
}

/** A call that the client executes: `function_call` with JSON in `arguments`, `custom_tool_call` with text in `input`. */
export interface CallItem extends ResponsesItem {
  readonly type: 'function_call' | 'custom_tool_call';
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly arguments?: string;
  readonly input?: string;
}

export interface CallOutputItem extends ResponsesItem {
  readonly type: 'function_call_output' | 'custom_tool_call_output';
  readonly call_id: string;
  readonly output?: unknown;
}

/** A search. With `execution: "server"` it has no `call_id`. */
export interface SearchCallItem extends ResponsesItem {
  readonly type: 'tool_search_call';
  readonly call_id?: string | null;
  readonly execution?: string;
  readonly status?: string | null;
  readonly arguments?: unknown;
}

/** What a search has loaded, as full definitions. */
export interface SearchOutputItem extends ResponsesItem {
  readonly type: 'tool_search_output';
  readonly call_id?: string | null;
  readonly execution?: string;
  readonly status?: string | null;
  readonly tools?: readonly unknown[];
}

/** A whole response. */
export interface ResponsesResponse {
  readonly id?: string;
  readonly status?: string;
  readonly output?: readonly ResponsesItem[];
  readonly usage?: JsonObject | null;
  readonly [unknown: string]: unknown;
}

/** The data of one event of a stream. */
export interface ResponsesEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly output_index?: number;
  readonly item_id?: string;
  readonly item?: ResponsesItem;
  readonly response?: ResponsesResponse;
  readonly [unknown: string]: unknown;
}

export function isCall(item: unknown): item is CallItem {
  return (
    isJsonObject(item) &&
    (item.type === 'function_call' || item.type === 'custom_tool_call') &&
    typeof item.call_id === 'string' &&
    typeof item.name === 'string'
  );
}

export function isCallOutput(item: ResponsesItem): item is CallOutputItem {
  const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
  return isOutput && typeof item.call_id === 'string';
}

export function isSearchCall(item: ResponsesItem): item is SearchCallItem {
  return item.type === 'tool_search_call';
}

export function isSearchOutput(item: ResponsesItem): item is SearchOutputItem {
  return item.type === 'tool_search_output';
}

/** Whether the model wrote an item: what follows an answer starts another round. */
export function isWritten(item: ResponsesItem): boolean {
  if (item.type === undefined || item.type === 'message') return item.role === 'assistant';
  return item.type === 'reasoning' || item.type === 'program' || /_call$/.test(item.type);
}

/** What an answer of ours had no room for, kept as a message of its own. The mark stays here: hosts know no such field. */
export function asideOf(text: string): ResponsesItem {
  return { type: 'message', role: 'developer', content: text, aside: true };
}

export function isAside(item: ResponsesItem): boolean {
  return item.aside === true;
}

export function withoutMark({ aside: _, ...message }: ResponsesItem): ResponsesItem {
  return message;
}

/** A request's input as items. */
export function itemsOf(request: ResponsesRequest): readonly ResponsesItem[] {
  if (typeof request.input === 'string') return [{ type: 'message', role: 'user', content: request.input }];
  return Array.isArray(request.input) ? request.input.filter(isJsonObject) : [];
}
