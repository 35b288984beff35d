import {
  type AdaptedDialect,
  type OpenAIClient,
  type OpenAIToolSearchOptions,
  openaiFetch,
  withFetch,
} from '../internal/openai-fetch.ts';
import { chatDialect } from './chat-dialect.ts';
import type { ChatChunk, ChatCompletion, ChatRequest } from './chat-shapes-2026-11.ts';
import { readTools } from './open.ts';

/**
 * A client like the given one, with tool search in `chat.completions`: `create`, `parse`, `stream` and `runTools` work as before,
 * and the model no longer reads every tool. Tools stay in the requests. The gate decides from their size whether they are deferred;
 * `defer_loading: true` next to a tool's `type` decides for that tool. Requests with few tools pass unchanged.
 *
 * @example
 * const client = withToolSearch(new OpenAI());
 * await client.chat.completions.create({ model, messages, tools });
 */
export function withToolSearch<Client extends OpenAIClient>(
  client: Client,
  options: OpenAIToolSearchOptions = {},
): Client {
  return withFetch(client, (send) => toolSearchFetch({ ...options, fetch: send }));
}

/** The same as a `fetch`, for `new OpenAI({ fetch: toolSearchFetch() })`. */
export function toolSearchFetch(
  options: OpenAIToolSearchOptions & { readonly fetch?: typeof fetch } = {},
): typeof fetch {
  return openaiFetch(CHAT, options);
}

const CHAT: AdaptedDialect<ChatRequest, ChatChunk, ChatCompletion> = {
  dialect: chatDialect,
  isRequest: (value) => 'messages' in value && Array.isArray(value.messages),
  readTools,
  loadedTools: () => [],
  // The wire removes marks by itself, and there is nothing else to remove.
  isMarked: () => false,
};
