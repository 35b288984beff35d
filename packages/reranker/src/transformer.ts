import type { Embedder } from '@quartermaster/core';
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

/** How many texts share a run. A run holds up its thread, so that a batch is the longest that anything else waits. */
const BATCH = 8;

/** An embedder that runs a transformer with `input_ids` and `attention_mask` in and unit `vectors` out. */
export function createTransformer({ modelId, runtime, session, wordPiece }: TransformerParts): Embedder {
  async function run(batch: readonly (readonly number[])[]): Promise<number[][]> {
    const width = Math.max(...batch.map((pieces) => pieces.length));
    const ids = new BigInt64Array(batch.length * width);
    const mask = new BigInt64Array(batch.length * width);
    batch.forEach((pieces, row) => {
      pieces.forEach((piece, column) => {
        ids[row * width + column] = BigInt(piece);
        mask[row * width + column] = 1n;
      });
    });
    const shape = [batch.length, width];
    const { vectors } = await session.run({
      input_ids: new runtime.Tensor('int64', ids, shape),
      attention_mask: new runtime.Tensor('int64', mask, shape),
    });
    return rowsOf(vectors?.data, batch.length);
  }

  return {
    modelId,
    async doEmbed({ values, abortSignal }) {
      const texts = values.map((value, at) => ({ at, pieces: wordPiece.split(value, MOST_PIECES) }));
      // Neighbours in length share a batch, so that little of it is padding.
      texts.sort((left, right) => left.pieces.length - right.pieces.length);
      const embeddings: number[][] = new Array(values.length);
      for (let start = 0; start < texts.length; start += BATCH) {
        abortSignal?.throwIfAborted();
        const batch = texts.slice(start, start + BATCH);
        const vectors = await run(batch.map(({ pieces }) => pieces));
        batch.forEach(({ at }, row) => {
          embeddings[at] = vectors[row] ?? [];
        });
      }
      return { embeddings };
    },
  };
}

function rowsOf(data: unknown, count: number): number[][] {
  if (!(data instanceof Float32Array) || data.length % count !== 0) {
    throw new TypeError('The model gave no "vectors" of 32-bit floats, one for each text; is it the right file?');
  }
  const width = data.length / count;
  return Array.from({ length: count }, (_, row) => [...data.subarray(row * width, (row + 1) * width)]);
}
