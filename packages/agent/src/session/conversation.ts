import { isJsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import { blocksOf } from '../message-content.ts';
import type { SDKUserBlock } from '../sdk-message.ts';
import { replay, type SessionRecord, type SessionStore } from './session-store.ts';

interface ConversationOptions {
  /** The id of a new session, or of the fork. */
  readonly sessionId: string;
  readonly store: SessionStore;
  readonly resume?: string | undefined;
  /** Whether a resumed session continues under the new id, and the old one stays as it is. */
  readonly isFork: boolean;
}

/** The messages of a session, stored as they arrive. They are the only source for what was loaded and called. */
export class Conversation {
  readonly id: string;
  readonly #store: SessionStore;
  #messages: readonly AnthropicMessage[];
  /** Written with the first message: a query without messages leaves nothing behind. */
  #unwritten: readonly SessionRecord[];

  constructor(store: SessionStore, begun: Pick<Conversation, 'id' | 'messages'>, unwritten: readonly SessionRecord[]) {
    this.id = begun.id;
    this.#store = store;
    this.#messages = begun.messages;
    this.#unwritten = unwritten;
  }

  get messages(): readonly AnthropicMessage[] {
    return this.#messages;
  }

  async append(message: AnthropicMessage): Promise<void> {
    this.#messages = [...this.#messages, message];
    await this.#write({ kind: 'message', message });
  }

  async restart(messages: readonly AnthropicMessage[]): Promise<void> {
    this.#messages = messages;
    await this.#write({ kind: 'restart', messages });
  }

  async #write(record: SessionRecord): Promise<void> {
    await this.#store.append(this.id, [...this.#unwritten, record]);
    this.#unwritten = [];
  }
}

/** Starts or continues a conversation. Interrupted calls are answered, so that the model knows of them. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { sessionId, store, resume, isFork } = options;
  if (resume === undefined) return new Conversation(store, { id: sessionId, messages: [] }, []);
  const records = await store.read(resume);
  if (records === undefined) {
    throw new RequestError('invalid_request', `There is no session ${JSON.stringify(resume.slice(0, 200))} to resume`, {
      context: { session: resume },
    });
  }
  const told = replay(records);
  const results = interruptedResults(told);
  const answers: readonly AnthropicMessage[] = results.length === 0 ? [] : [{ role: 'user', content: results }];
  const messages = [...told, ...answers];
  if (isFork) return new Conversation(store, { id: sessionId, messages }, [{ kind: 'restart', messages }]);
  const unwritten = answers.map((message) => ({ kind: 'message', message }) as const);
  return new Conversation(store, { id: resume, messages }, unwritten);
}

/**
 * Answers to the calls of the last message that have none yet. A model is not shown calls without results, and would
 * make a call again that it doesn't know of.
 */
export function interruptedResults(messages: readonly AnthropicMessage[]): readonly SDKUserBlock[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const calls = blocksOf(last).filter((block: unknown) => isJsonObject(block) && block.type === 'tool_use');
  return withoutResults(
    calls.flatMap(({ id }) => (typeof id === 'string' ? [{ id }] : [])),
    REASON,
  );
}

/** Replaces results that will not arrive: a call without one would be lost to the conversation. */
export function withoutResults(calls: readonly { readonly id: string }[], reason: string): readonly SDKUserBlock[] {
  return calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: reason, is_error: true }));
}

const REASON =
  'The call was interrupted before its result came. It may have run: find out before you call it again, where that matters.';
