import type { Chat, GenerateContentConfig, GoogleGenAI, SendMessageParameters } from '@google/genai';
import { type GeminiToolSearchOptions, toolSearchFetch } from './tool-search-fetch.ts';

type Fetch = typeof fetch;

/**
 * The client with tool search in `models.generateContent`, `models.generateContentStream` and `chats`; everything else is the
 * client's own. Functions that a request declares are the catalog, and the client still executes them: by hand, by automatic function
 * calling or as MCP tools.
 *
 * @example
 * const ai = withToolSearch(new GoogleGenAI({ apiKey }));
 */
export function withToolSearch(client: GoogleGenAI, options: GeminiToolSearchOptions = {}): GoogleGenAI {
  // A Vertex client refuses to send server-side tool calls back, so it must not get any.
  const settings = { showSearches: !client.vertexai, ...options };
  const wrapped = new Map<Fetch, Fetch>();
  const searching = (given: Fetch | undefined): Fetch => {
    const inner = options.fetch ?? given ?? clientFetch(client) ?? globalThis.fetch;
    const known = wrapped.get(inner) ?? toolSearchFetch({ ...settings, fetch: inner });
    wrapped.set(inner, known);
    return known;
  };
  // Invalid options are rejected now, not with the first request.
  searching(undefined);
  const configured = <Parameters extends { config?: GenerateContentConfig }>(parameters: Parameters): Parameters => {
    const { config } = parameters;
    const httpOptions = { ...config?.httpOptions, fetch: searching(config?.httpOptions?.fetch) };
    return { ...parameters, config: { ...config, httpOptions } };
  };
  const { models, chats } = client;
  return derive(client, {
    models: derive(models, {
      generateContent: (parameters) => models.generateContent(configured(parameters)),
      generateContentStream: (parameters) => models.generateContentStream(configured(parameters)),
    }),
    chats: derive(chats, { create: (parameters) => wrapChat(chats.create(configured(parameters)), configured) }),
  });
}

/** The same object with some fields replaced. */
function derive<Value extends object>(value: Value, replaced: Partial<Value>): Value {
  return Object.create(value, Object.getOwnPropertyDescriptors(replaced)) as Value;
}

/** A message may have its own configuration, which replaces the chat's. */
function wrapChat(chat: Chat, configured: (parameters: SendMessageParameters) => SendMessageParameters): Chat {
  const { sendMessage, sendMessageStream } = chat;
  const withConfig = (parameters: SendMessageParameters): SendMessageParameters =>
    parameters.config === undefined ? parameters : configured(parameters);
  chat.sendMessage = (parameters) => sendMessage.call(chat, withConfig(parameters));
  chat.sendMessageStream = (parameters) => sendMessageStream.call(chat, withConfig(parameters));
  return chat;
}

/** The client's own `fetch`: one for a single request replaces it, so it must be called from there. */
function clientFetch(client: GoogleGenAI): Fetch | undefined {
  const { apiClient } = client as unknown as { readonly apiClient?: { getFetch?(): Fetch | undefined } };
  return apiClient?.getFetch?.();
}
