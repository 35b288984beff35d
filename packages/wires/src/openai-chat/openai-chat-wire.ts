import type { Wire } from '@quartermaster/core/loop';
import type { ChatChunk, ChatRequest } from './chat-shapes-2026-11.ts';
import { chatTranscript } from './chat-transcript.ts';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import { createWriter } from './writer.ts';

/**
 * OpenAI's Chat Completions, and every host that imitates them. Knows functions only: carries the forms stub, bridge and load.
 * A search is never shown to the client: with a transcript it is remembered all the same, without one only calls are.
 */
export const openaiChatWire: Wire<ChatRequest, ChatChunk> = {
  dialect: 'openai-chat',
  open: openRequest,
  recall: recallRequest,
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
  transcript: chatTranscript,
};
