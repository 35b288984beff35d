import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { checkOptionNames } from '@quartermaster/core/internal';
import type { Embedder, FitModel } from '@quartermaster/core/search';
import { canRead } from './can-read.ts';
import { createTransformer, findOnnxRuntime, type ImportModule } from './transformer.ts';
import { createWordPiece } from './word-piece.ts';

/** An embedder that knows which requests it can read. */
export interface RerankerModel extends Embedder {
  readonly isLocal: true;
  canRead(request: string): boolean;
  /** How its cosines indicate whether anything fits; other model files differ. */
  readonly fitModel?: FitModel;
}

/** Options of `loadReranker`. */
export interface LoadRerankerOptions {
  /** How many threads a run may use, 1 or more. @default 1 */
  readonly threads?: number;
  /** Called with the reason if there is no reranker. */
  readonly onUnavailable?: (reason: string) => void;
  /** Another model file of the same make, read with the same vocabulary. @default the package's own */
  readonly modelFile?: string | URL;
  /** How the runtime is loaded. @default `import()` */
  readonly importModule?: ImportModule;
}

/** How the reranker is loaded, unless the options say otherwise. */
export const LOAD_RERANKER_DEFAULTS: Required<Pick<LoadRerankerOptions, 'threads' | 'modelFile' | 'importModule'>> = {
  threads: 1,
  modelFile: new URL('../model/tools-minilm-v5.onnx', import.meta.url),
  importModule: (name) => import(name),
};

/**
 * The transformer in this package, as an embedder for `createReranker`; undefined if no ONNX runtime is installed, and searches are
 * then not reranked. Each call reads the model again, so load it once and share it.
 *
 * @example
 * const embedder = await loadReranker({ onUnavailable: console.warn });
 * const reranker = embedder && createReranker({ embedder });
 */
export async function loadReranker(options: LoadRerankerOptions = {}): Promise<RerankerModel | undefined> {
  checkOptionNames('loadReranker', options, 'onUnavailable', LOAD_RERANKER_DEFAULTS);
  const { threads, modelFile, importModule, onUnavailable } = { ...LOAD_RERANKER_DEFAULTS, ...options };
  const found = await findOnnxRuntime(importModule);
  if (found.kind === 'missing') {
    onUnavailable?.(found.reason);
    return undefined;
  }
  const { runtime } = found;
  const [model, vocabulary] = await Promise.all([readFile(modelFile), readFile(VOCABULARY_FILE, 'utf8')]);
  const session = await runtime.InferenceSession.create(model, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const wordPiece = createWordPiece(vocabulary);
  const isOwn = modelFile === LOAD_RERANKER_DEFAULTS.modelFile;
  const modelId = isOwn ? MODEL_ID : `${MODEL_ID}:${digest(model)}`;
  const transformer = createTransformer({ modelId, runtime, session, wordPiece });
  return {
    ...transformer,
    isLocal: true,
    canRead: (request) => canRead(request, wordPiece),
    ...(isOwn ? { fitModel: FIT_MODEL } : {}),
  };
}

const MODEL_ID = 'tools-minilm-v5';
const VOCABULARY_FILE: URL = new URL(`../model/${MODEL_ID}.vocabulary.txt`, import.meta.url);

/** Vectors are cached by the model's id, so the id of another file is a hash of its content, not its path. */
function digest(model: Uint8Array): string {
  return createHash('sha256').update(model).digest('hex').slice(0, 16);
}

/**
 * What the cosines of `tools-minilm-v5` tell of whether anything fits, beside the first stage's evidence. Printed by
 * `packages/semantic/training/ranker/calibrate.py`.
 */
export const FIT_MODEL: FitModel = {
  meaning: 4.02,
  bigrams: 2.89,
  cosine: 6.52,
  threshold: 4.19,
  perTenfold: 0.39,
};
