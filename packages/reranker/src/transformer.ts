import type { Embedder } from '@quartermaster/core/search';
import type { WordPiece } from './word-piece.ts';

interface TransformerParts {
  readonly modelId: string;
  readonly runtime: Pick<OnnxRuntime, 'Tensor'>;
  readonly session: OnnxSession;
  readonly wordPiece: WordPiece;
}

/** How many pieces of a text the model reads, the two around it included: what it was trained with for tools. */
const MOST_PIECES = 160;

/**
 * An embedder that runs a transformer with `input_ids` and `attention_mask` in and unit `vectors` out.
 *
 * One text a run: the model's activations are scaled to bytes over the whole input, so that in a batch a text's vector
 * depends on what it shares the batch with (cosines down to 0.97 with itself), and a vector that is kept by the hash of its
 * text must not. A batch of eight would save a tenth of the time. A run holds up its thread for some milliseconds; between
 * two of them other work goes on.
 */
export function createTransformer({ modelId, runtime, session, wordPiece }: TransformerParts): Embedder {
  async function run(text: string): Promise<number[]> {
    const pieces = wordPiece.split(text, MOST_PIECES);
    const shape = [1, pieces.length];
    const { vectors } = await session.run({
      input_ids: new runtime.Tensor('int64', BigInt64Array.from(pieces, BigInt), shape),
      attention_mask: new runtime.Tensor('int64', new BigInt64Array(pieces.length).fill(1n), shape),
    });
    if (!(vectors?.data instanceof Float32Array)) {
      throw new TypeError('The model gave no "vectors" of 32-bit floats; is it the right file?');
    }
    return [...vectors.data];
  }

  return {
    modelId,
    async doEmbed({ values, abortSignal }) {
      const embeddings: number[][] = [];
      for (const value of values) {
        await giveWay();
        abortSignal?.throwIfAborted();
        embeddings.push(await run(value));
      }
      return { embeddings };
    },
  };
}

/** The runtime's promises settle before timers and sockets run, so consecutive texts would block everything else. */
function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What is needed of an ONNX runtime; `onnxruntime-node` and `onnxruntime-web` both have it. */
interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options: SessionOptions): Promise<OnnxSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dimensions: readonly number[]) => OnnxTensor;
}

interface OnnxSession {
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

interface SessionOptions {
  readonly intraOpNumThreads: number;
  readonly interOpNumThreads: number;
}

/** Loads a module by its name; `import()` unless a test says otherwise. */
export type ImportModule = (name: string) => Promise<unknown>;

type FoundRuntime =
  | { readonly kind: 'found'; readonly name: string; readonly runtime: OnnxRuntime }
  | { readonly kind: 'missing'; readonly reason: string };

/** The first ONNX runtime that is installed. Both are optional peers, so neither is installed unless it is wanted. */
export async function findOnnxRuntime(importModule: ImportModule): Promise<FoundRuntime> {
  const reasons: string[] = [];
  for (const name of RUNTIMES) {
    try {
      const runtime = asRuntime(await importModule(name));
      if (runtime !== undefined) return { kind: 'found', name, runtime };
      reasons.push(`${name} has no InferenceSession and Tensor`);
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  return { kind: 'missing', reason: `No ONNX runtime could be loaded (${reasons.join('; ')}); install ${RUNTIMES[0]}` };
}

/** A CommonJS module may come whole under `default`. */
function asRuntime(module: unknown): OnnxRuntime | undefined {
  if (isRuntime(module)) return module;
  const inner = (module as { readonly default?: unknown } | undefined)?.default;
  return isRuntime(inner) ? inner : undefined;
}

function isRuntime(module: unknown): module is OnnxRuntime {
  const { InferenceSession, Tensor } = (module ?? {}) as Partial<OnnxRuntime>;
  return typeof InferenceSession?.create === 'function' && typeof Tensor === 'function';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;
