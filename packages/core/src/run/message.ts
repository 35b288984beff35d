import type { JsonObject } from '../catalog/index.ts';
import type { Call } from '../dispatch/index.ts';

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

/** What the user says. A list holds the model's own content parts, such as images; they are passed on unchanged. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly JsonObject[];
}

/** What the model says, and the tools it calls. Calls to tools of the catalog are under their own names. */
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
