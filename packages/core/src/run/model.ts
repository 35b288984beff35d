import type { JsonObject } from '../catalog/index.ts';
import type { Definition } from '../disclosure/index.ts';
import type { Call } from '../dispatch/index.ts';

/**
 * A model: a function that answers, or the description of an endpoint that speaks OpenAI's chat completions.
 *
 * @example
 * const local: Model = { url: 'http://localhost:11434/v1', model: 'qwen3' };
 * const scripted: Model = async ({ messages, tools }) => ({ content: 'Hello!' });
 */
export type Model = ModelFunction | ModelEndpoint;

/** Answers a request: at once with a reply, or in parts as they arrive. What it throws ends the run. */
export type ModelFunction = (request: ModelRequest) => ModelReply | Promise<ModelReply> | AsyncIterable<ModelPart>;

/** A request to a model. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  /** The tools to declare now: names, descriptions and JSON schemas. */
  readonly tools: readonly Definition[];
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
}

/** A whole answer of a model. */
export interface ModelReply {
  readonly content?: string;
  readonly calls?: readonly ModelCall[];
  /** Whether the token limit cut the answer off. @default false */
  readonly isCut?: boolean;
  readonly usage?: ModelUsage;
}

/** A call as a model wrote it. */
export interface ModelCall {
  /** @default an id that is unique in the conversation */
  readonly id?: string;
  readonly name: string;
  /** An object, or its JSON text. */
  readonly arguments?: unknown;
  /** What the host attached to the call. It is sent back unchanged. */
  readonly extra?: JsonObject;
}

/** A piece of a model's answer. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  /** A call, complete. */
  | ({ readonly kind: 'call' } & ModelCall)
  /** The last part. May be left out. */
  | { readonly kind: 'end'; readonly isCut?: boolean; readonly usage?: ModelUsage };

/** Tokens that a model has read and written. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Any endpoint that speaks OpenAI's chat completions. */
export interface ModelEndpoint {
  /** The base address, such as `http://localhost:11434/v1`. `/chat/completions` is appended. */
  readonly url: string;
  /** The model's name at the endpoint. */
  readonly model: string;
  /** Sent as a bearer token. @default none */
  readonly apiKey?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional fields of the request's body, such as `temperature`. They are sent in every round. */
  readonly body?: JsonObject;
  /** @default the global fetch */
  readonly fetch?: typeof fetch;
}

/**
 * One message of a conversation, the same for every model.
 *
 * @example
 * const messages: Message[] = [
 *   { role: 'system', content: 'You help a small shop.' },
 *   { role: 'user', content: 'Refund order 17.' },
 * ];
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Instructions for the model. The note about tool search is appended to the first message if it is one of these. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

/** What the user says. A list contains the model's own content parts, such as images; they are forwarded unchanged. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly JsonObject[];
}

/** What the model says, and the tools it calls. Calls to tools of the catalog have their own names. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly calls?: readonly MessageCall[];
}

/** A call in an assistant's message. */
export interface MessageCall extends Call {
  /** What the host attached to the call, such as a thought signature. It is sent back unchanged. */
  readonly extra?: JsonObject;
}

/** The answer to one call. */
export interface ToolMessage {
  readonly role: 'tool';
  /** The id of the call. */
  readonly id: string;
  readonly content: string;
  /** @default false */
  readonly isError?: boolean;
}
