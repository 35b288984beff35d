import type { Wire } from '@quartermaster/core/loop';
import { recallTurns } from '../internal/answered-turns.ts';
import type { ModelPart, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { openRequest } from './open.ts';
import { createReader } from './reader.ts';
import { renderRequest } from './render.ts';
import { MODEL_PARTS } from './search-parts.ts';
import { createWriter } from './writer.ts';

/** The codec for the AI SDK's provider interface: call options in, stream parts out. */
export const aiSdkWire: Wire<ModelRequest, ModelPart> = {
  dialect: 'ai-sdk',
  open: openRequest,
  recall: ({ prompt }, plan) => recallTurns(prompt, plan, MODEL_PARTS),
  render: renderRequest,
  reader: createReader,
  writer: createWriter,
};
