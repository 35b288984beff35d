// Every protocol that is served, one line each: the protocol's own folder in wires, and its codec towards the AI SDK's providers.
export { anthropic } from './model/anthropic/index.ts';
export { openaiChat as 'openai-chat' } from './model/openai-chat/index.ts';
export { openaiResponses as 'openai-responses' } from './model/openai-responses/index.ts';
