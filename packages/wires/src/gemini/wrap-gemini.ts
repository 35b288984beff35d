import type { Chat, Chats, GenerateContentConfig, GoogleGenAI, Models } from '@google/genai';
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
  const configure = (config: GenerateContentConfig = {}): GenerateContentConfig => ({
    ...config,
    httpOptions: { ...config.httpOptions, fetch: searching(config.httpOptions?.fetch) },
  });
  const models: Models = Object.create(client.models, {
    generateContent: {
      value: ((parameters) =>
        client.models.generateContent({
          ...parameters,
          config: configure(parameters.config),
        })) satisfies Models['generateContent'],
    },
    generateContentStream: {
      value: ((parameters) =>
        client.models.generateContentStream({
          ...parameters,
          config: configure(parameters.config),
        })) satisfies Models['generateContentStream'],
    },
  });
  const chats: Chats = Object.create(client.chats, {
    create: {
      value: ((parameters) =>
        wrapChat(
          client.chats.create({ ...parameters, config: configure(parameters.config) }),
          configure,
        )) satisfies Chats['create'],
    },
  });
  return Object.create(client, { models: { value: models }, chats: { value: chats } });
}

/** A message may have its own configuration, which replaces the chat's. */
function wrapChat(chat: Chat, configure: (config: GenerateContentConfig) => GenerateContentConfig): Chat {
  const { sendMessage, sendMessageStream } = chat;
  const withConfig = <Parameters extends { config?: GenerateContentConfig }>(parameters: Parameters): Parameters =>
    parameters.config === undefined ? parameters : { ...parameters, config: configure(parameters.config) };
  chat.sendMessage = (parameters) => sendMessage.call(chat, withConfig(parameters));
  chat.sendMessageStream = (parameters) => sendMessageStream.call(chat, withConfig(parameters));
  return chat;
}

/** The client's own `fetch`: one for a single request replaces it, so it must be called from there. */
function clientFetch(client: GoogleGenAI): Fetch | undefined {
  const { apiClient } = client as unknown as { readonly apiClient?: { getFetch?(): Fetch | undefined } };
  return apiClient?.getFetch?.();
}
