import { type ChatChunk, type ChatCompletion, type ChatRequest, chatDialect } from '@quartermaster/wires/openai-chat';
import type { ServedDialect } from '../../dialect.ts';
import { toCall } from './to-call.ts';
import { writeChunks } from './write-chunks.ts';

export const openaiChat: ServedDialect<ChatRequest, ChatChunk, ChatCompletion, 'openai-chat'> = {
  ...chatDialect,
  codec: { toCall, writer: writeChunks },
};
