import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { TranscriptStore } from '@quartermaster/core/loop';
import { conversationOf, growConversation, prefixOf } from './conversation.ts';

/** A response as its client received it, and the items that the client had sent; undefined if those were too long to store. */
export interface StoredResponse {
  readonly response: JsonObject;
  readonly input: readonly JsonObject[] | undefined;
}

/** The longest input that is stored with a response, in characters of JSON. */
const LONGEST_INPUT = 256 * 1024;

/**
 * The transcript store, which also adds the client's own items to each stored response, for later reads, and the
 * response to the conversation that its request belongs to.
 */
export function withInput(
  store: TranscriptStore,
  request: { readonly input?: unknown; readonly conversation?: unknown },
  /** The same with references resolved. */
  resolved: { readonly input?: unknown },
): TranscriptStore {
  const conversation = conversationOf(request.conversation);
  return {
    find: (...given) => store.find(...given),
    forget: (...given) => store.forget(...given),
    replace: (...given) => store.replace(...given),
    async keep(ids, hidden) {
      const { content } = hidden;
      if (!isJsonObject(content.response)) return store.keep(ids, hidden);
      const input = toItems(request.input);
      const isLong = JSON.stringify(input).length > LONGEST_INPUT;
      // What is added to a conversation is kept there.
      const { added: _, ...kept } = content;
      await store.keep(ids, { ...hidden, content: isLong ? kept : { ...kept, input } });
      if (conversation === undefined) return;
      const historyLength = toItems(resolved.input).length - input.length;
      await growConversation(store, conversation, { input, historyLength, content });
    },
  };
}

export async function findResponse(store: TranscriptStore, id: string): Promise<StoredResponse | undefined> {
  const content = (await store.find([id])).get(id)?.content;
  if (content === undefined || !isJsonObject(content.response) || content.response.id !== id) return undefined;
  const input = Array.isArray(content.input) ? content.input.filter(isJsonObject) : undefined;
  return { response: { ...content.response, output: content.output ?? [] } as JsonObject, input };
}

/** Input items are requested by id, so each has one. */
export function withIds(items: readonly JsonObject[], responseId: string): readonly (JsonObject & { id: string })[] {
  const key = responseId.replace(/^resp_/, '');
  return items.map((item, index) => ({
    ...item,
    id: typeof item.id === 'string' ? item.id : `${prefixOf(String(item.type))}_${key}_${index}`,
  }));
}

/** An input as the API lists it: a string is a user message, and a message has its type. */
export function toItems(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  return items.map((item) => {
    const { role, content } = item;
    if (item.type !== undefined && item.type !== 'message') return item;
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    return { ...item, type: 'message', content: typeof content === 'string' ? [{ type, text: content }] : content };
  }) as readonly JsonObject[];
}
