import { createBm25Searcher, type Searcher, type Snapshot } from '@quartermaster/core';
import { checkOptionNames, defined } from '@quartermaster/core/internal';
import {
  createHybridSearcher,
  HYBRID_DEFAULTS,
  type HybridSearcherOptions,
  type StaticEmbedder,
} from '@quartermaster/core/search';
import { createStaticModel, type FieldWeights, type StaticModelData } from './static-model.ts';

/** The model that comes with the package, or the one that was provided. Read on the first call, then kept. */
export function embeddedModel(): StaticEmbedder {
  model ??= createStaticModel(readModel(alignedBytes(readModelFile())));
  return model;
}

/**
 * Provides the bytes of the model's file (`@quartermaster/semantic/model`) if it can't be read from disk: in a Worker, a
 * browser, or a bundle. Searches created from now on use it. Throws a `RangeError` if the bytes are not a model.
 *
 * @example
 * import model from '@quartermaster/semantic/model'; // in workerd, a data module
 * provideModel(model);
 */
export function provideModel(bytes: Uint8Array | ArrayBuffer): void {
  model = createStaticModel(readModel(alignedBytes(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes))));
  problem = undefined;
}

/** The model, or undefined if it can't be read: `modelProblem` says why. */
function embeddedModelIfAny(): StaticEmbedder | undefined {
  try {
    return embeddedModel();
  } catch (error) {
    const isKnown = problem !== undefined;
    problem = error instanceof Error ? error.message : String(error);
    // Without a file system it is expected; with one, someone meant to have the model.
    if (!isKnown && fileSystem() !== undefined) runtime()?.emitWarning?.(`Searches use keywords only. ${problem}`);
    return undefined;
  }
}

/** Why searches use keywords only; undefined if they don't, or none has been created yet. */
export function modelProblem(): string | undefined {
  return problem;
}

let model: StaticEmbedder | undefined;
let problem: string | undefined;

function readModelFile(): Uint8Array {
  const files = fileSystem();
  if (files === undefined) throw new Error(`The embedded model can't be read without a file system; ${OTHER_WAY}`);
  const path = modelFile();
  if (path === undefined) throw new Error(`A CommonJS bundle doesn't know where the embedded model is; ${OTHER_WAY}`);
  try {
    return files.readFileSync(path);
  } catch (cause) {
    throw new Error(
      `The embedded model can't be read from ${path}: a bundler leaves it behind unless @quartermaster/semantic stays external. Else ${OTHER_WAY}`,
      { cause },
    );
  }
}

/** Asked for when it is needed: workerd and CommonJS bundles have no address of the module, and would fail on import. */
function modelFile(): URL | undefined {
  const address: unknown = import.meta.url;
  return typeof address === 'string' && URL.canParse(MODEL_PATH, address) ? new URL(MODEL_PATH, address) : undefined;
}

const MODEL_PATH = '../model/tools-static-v6.bin';
const OTHER_WAY = 'pass the bytes of its file to provideModel(bytes)';

/** Asked for when it is needed and not imported, so that a bundle for a browser has nothing to resolve. */
function fileSystem(): typeof import('node:fs') | undefined {
  return runtime()?.getBuiltinModule?.('node:fs');
}

function runtime(): Partial<NodeJS.Process> | undefined {
  return (globalThis as { process?: Partial<NodeJS.Process> }).process;
}

/** Float32 views need a multiple of 4 as their start; a small file may come from the middle of a shared buffer. */
function alignedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
}

/**
 * A model file is a 4-byte little-endian length, that many bytes of JSON, zeros up to a multiple of 4, one float32 scale per piece,
 * and one row of int8 components per piece. The arrays are views of the bytes: nothing is copied.
 */
export function readModel(bytes: Uint8Array): StaticModelData {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as ModelHeader;
  const pieces = header.pieces.split('\n');
  const scalesAt = bytes.byteOffset + 4 * Math.ceil((4 + headerLength) / 4);
  const rowsAt = scalesAt + 4 * pieces.length;
  const size = pieces.length * header.dimensions;
  if (rowsAt + size !== bytes.byteOffset + bytes.byteLength) {
    throw new RangeError(
      `The model file has ${bytes.byteLength} bytes where its header promises ${rowsAt + size - bytes.byteOffset}`,
    );
  }
  return {
    modelId: header.modelId,
    dimensions: header.dimensions,
    fields: header.fields,
    pieces,
    scales: new Float32Array(bytes.buffer, scalesAt, pieces.length),
    rows: new Int8Array(bytes.buffer, rowsAt, size),
  };
}

interface ModelHeader {
  readonly modelId: string;
  readonly dimensions: number;
  readonly fields: FieldWeights;
  /** One a line. */
  readonly pieces: string;
}

/**
 * Search by keywords and embeddings, with the model in this package: the default of every surface. Pass it to a toolbox as
 * `searcher`. If the model can't be read (no file system, or a bundle without it), it searches by keywords only: `engine` is then
 * `bm25`, and `modelProblem()` says why.
 *
 * @example
 * const toolbox = createToolbox({ tools, execute, searcher: createEmbeddedSearcher });
 */
export function createEmbeddedSearcher(
  snapshot: Snapshot,
  options: Omit<HybridSearcherOptions, 'embedder'> = {},
): Searcher {
  checkOptionNames('createEmbeddedSearcher', options, 'bm25 vectors slices cache whole reranker', HYBRID_DEFAULTS);
  const embedder = embeddedModelIfAny();
  if (embedder !== undefined) return createHybridSearcher(snapshot, { embedder, ...options });
  const { bm25, slices, cache } = options;
  return createBm25Searcher(snapshot, { ...bm25, ...defined({ slices, cache }) });
}
