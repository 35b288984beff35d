import { bytesOf, encodeName, textOf } from './internal/columns.ts';
import { chunks, placeholders, type SqlValue } from './internal/sql.ts';
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

const ROWS_AT_ONCE = 200;

export function createVectorStore({ sql }: StoreContext): VectorStore {
  return {
    async get(model, hashes) {
      const name = encodeModel(model);
      const found = new Map<string, Uint8Array>();
      for (const some of chunks([...new Set(hashes)], ROWS_AT_ONCE)) {
        const marks = some.map(() => '?').join(', ');
        const rows = await sql.all(`SELECT hash, vector FROM vectors WHERE model = ? AND hash IN (${marks})`, [
          name,
          ...some,
        ]);
        for (const row of rows) found.set(textOf(row, 'hash'), bytesOf(row, 'vector'));
      }
      return found;
    },

    async put(model, vectors) {
      const name = encodeModel(model);
      for (const some of chunks([...vectors], ROWS_AT_ONCE)) {
        await sql.run(
          `INSERT INTO vectors (model, hash, vector) VALUES ${placeholders(some.length, 3)} ON CONFLICT (model, hash) DO NOTHING`,
          some.flatMap(([hash, vector]): SqlValue[] => [name, hash, vector]),
        );
      }
    },

    deleteModel: (model) => sql.run('DELETE FROM vectors WHERE model = ?', [encodeModel(model)]),
  };
}

function encodeModel(model: string): string {
  return encodeName(model, 'name of an embedding model');
}
