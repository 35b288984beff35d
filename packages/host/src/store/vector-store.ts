import { bytesOf, encodeName, textOf } from './internal/columns.ts';
import { chunks, insertRows, marks, ROWS_AT_ONCE } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Vectors by the model that made them and the hash of their text, so that nothing is embedded twice. */
export interface VectorStore {
  /** The known vectors; the others are missing from the map. */
  get(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Stores vectors. The first one stays: the same content has the same vector. */
  put(model: string, vectors: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Deletes all vectors of a model that is no longer used; returns their number. */
  deleteModel(model: string): Promise<number>;
}

export function createVectorStore({ sql }: StoreContext): VectorStore {
  return {
    async get(model, hashes) {
      const name = encodeModel(model);
      const found = new Map<string, Uint8Array>();
      for (const some of chunks([...new Set(hashes)], ROWS_AT_ONCE)) {
        const text = `SELECT hash, vector FROM vectors WHERE model = ? AND hash IN (${marks(some)})`;
        const rows = await sql.all(text, [name, ...some]);
        for (const row of rows) found.set(textOf(row, 'hash'), bytesOf(row, 'vector'));
      }
      return found;
    },

    async put(model, vectors) {
      const name = encodeModel(model);
      const rows = [...vectors].map(([hash, vector]) => ({ model: name, hash, vector }));
      await insertRows(sql, 'vectors', rows, { key: ['model', 'hash'], existing: 'keep' });
    },

    deleteModel: (model) => sql.run('DELETE FROM vectors WHERE model = ?', [encodeModel(model)]),
  };
}

function encodeModel(model: string): string {
  return encodeName(model, 'name of an embedding model');
}
