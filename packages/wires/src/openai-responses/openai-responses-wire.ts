import type { Wire } from '@quartermaster/core/loop';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import type { ResponsesEvent, ResponsesRequest } from './responses-shapes-2026-11.ts';
import { responsesTranscript } from './responses-transcript.ts';
import { createWriter } from './writer.ts';

/**
 * OpenAI's Responses API. Carries every form: stub, bridge and load by functions alone, native by searches that the client (we)
 * executes, hosted by the provider's own.
 */
export const openaiResponsesWire: Wire<ResponsesRequest, ResponsesEvent> = {
  dialect: 'openai-responses',
  open: openRequest,
  recall: recallRequest,
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
  transcript: responsesTranscript,
};
