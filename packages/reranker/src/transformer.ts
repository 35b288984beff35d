import type { Embedder } from '@quartermaster/core/search';
import type { OnnxRuntime, OnnxSession } from './onnx-runtime.ts';
import type { WordPiece } from './word-piece.ts';

export interface TransformerParts {
  readonly modelId: string;
  readonly runtime: Pick<OnnxRuntime, 'Tensor'>;
  readonly session: OnnxSession;
  readonly wordPiece: WordPiece;
}

/** How many pieces of a text the model reads, the two around it included: what it was trained with for tools. */
export const MOST_PIECES = 160;

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

/** The runtime's promises are settled before timers and sockets get their turn: texts in a row would hold up all of it. */
function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
