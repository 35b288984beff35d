import { readFileSync } from 'node:fs';
import type { StaticEmbedder } from '@quartermaster/core';
import { readModel } from './read-model.ts';
import { createStaticModel } from './static-model.ts';

/** The model that comes with the package. Read on the first call, then kept. */
export function embeddedModel(): StaticEmbedder {
  model ??= createStaticModel(readModel(alignedBytes(readFileSync(MODEL_FILE))));
  return model;
}

const MODEL_FILE: URL = new URL('../model/tools-static-v5.bin', import.meta.url);

let model: StaticEmbedder | undefined;

/** Float32 views need a multiple of 4 as their start; a small file may come from the middle of a shared buffer. */
function alignedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
}
