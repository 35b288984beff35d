import { type ChatChunk, type ChatCompletion, type ChatRequest, chatDialect } from '@quartermaster/wires/openai-chat';
import type { ServedDialect } from './dialect.ts';
import { openaiChat } from './model/openai-chat/index.ts';

/** A protocol like Chat Completions, at another address and with its own header. */
export const acme: ServedDialect<ChatRequest, ChatChunk, ChatCompletion, 'acme'> = {
  ...chatDialect,
  name: 'acme',
  endpoint: {
    ...chatDialect.endpoint,
    baseUrl: 'https://api.acme.example',
    path: '/v2/chat',
    authorize: (headers, apiKey) => headers.set('acme-key', apiKey),
  },
  api: {
    ...chatDialect.api,
    path: '/acme/v2/chat',
    route: 'acme_chat',
    errorBody: ({ message }) => ({ fault: message }),
  },
  codec: openaiChat.codec,
};
