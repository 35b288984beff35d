import type { Wire } from '@quartermaster/core/loop';
import type { ModelPart, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { recallRequest } from './recall.ts';
import { renderRequest } from './render.ts';
import { createWriter } from './writer.ts';

/** The codec for the AI SDK's provider interface: call options in, stream parts out. */
export const aiSdkWire: Wire<ModelRequest, ModelPart> = {
  dialect: 'ai-sdk',
  open: openRequest,
  recall: recallRequest,
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
  ping: () => ({ type: 'ping' }),
};
