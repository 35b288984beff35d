import type { StaticEmbedder } from '@quartermaster/core';
import { readModel } from './read-model.ts';
import { createStaticModel } from './static-model.ts';

/** The model that comes with the package. Read on the first call, then kept. */
export function embeddedModel(): StaticEmbedder {
  model ??= createStaticModel(readModel(alignedBytes(readModelFile())));
  return model;
}

/** Whether there is a file system to read the model from: a browser and some edge runtimes have none. */
export function hasFileSystem(): boolean {
  return fileSystem() !== undefined;
}

const MODEL_FILE: URL = new URL('../model/tools-static-v5.bin', import.meta.url);

let model: StaticEmbedder | undefined;

function readModelFile(): Uint8Array {
  const files = fileSystem();
  if (files === undefined) throw new Error(`The embedded model can't be read without a file system; ${OTHER_WAY}`);
  try {
    return files.readFileSync(MODEL_FILE);
  } catch (cause) {
    throw new Error(
      `The embedded model can't be read from ${MODEL_FILE}: a bundler leaves it behind unless @quartermaster/semantic stays external. Else ${OTHER_WAY}`,
      { cause },
    );
  }
}

const OTHER_WAY = 'pass the bytes of its file to createStaticModel(readModel(bytes))';

/** Asked for when it is needed and not imported, so that a bundle for a browser has nothing to resolve. */
function fileSystem(): typeof import('node:fs') | undefined {
  return (globalThis as { process?: Partial<NodeJS.Process> }).process?.getBuiltinModule?.('node:fs');
}

/** Float32 views need a multiple of 4 as their start; a small file may come from the middle of a shared buffer. */
function alignedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
}
