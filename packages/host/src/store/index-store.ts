import { type Blob, blobOf, checkBlob, forgetBlob, readBlob, writeBlob } from './internal/blob-parts.ts';
import { encodeName, numberOf } from './internal/columns.ts';
import { insertRows, lockRows, type Row, type Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Built search indexes by the key of their content, so that replicas build each one once. */
export interface IndexStore {
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores an index, and deletes the least recently used if all together exceed `maxBytes`. */
  put(key: string, bytes: Uint8Array, options: { readonly maxBytes: number }): Promise<void>;
}

/** The use of an index is recorded no more often than this. */
const USE_MS = 10 * 60_000;

export function createIndexStore(context: StoreContext): IndexStore {
  const { sql, now } = context;

  /** One transaction decides which are deleted; their parts are deleted after it. */
  async function makeRoom(statements: Statements, maxBytes: number): Promise<readonly Blob[]> {
    const rows = await statements.all(
      'SELECT content, blob, blob_count, size FROM search_indexes ORDER BY used_at DESC, content',
    );
    const unused: Blob[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += numberOf(row, 'size');
      if (bytes <= maxBytes) continue;
      await statements.run('DELETE FROM search_indexes WHERE content = ?', [String(row.content)]);
      unused.push(...blobsOf([row]));
    }
    return unused;
  }

  return {
    async get(key) {
      const name = encodeName(key, 'key of an index');
      const [row] = await sql.all('SELECT blob, blob_count, used_at FROM search_indexes WHERE content = ?', [name]);
      const blob = row === undefined ? undefined : blobOf(row);
      if (row === undefined || blob === undefined) return undefined;
      if (now() - numberOf(row, 'used_at') > USE_MS) {
        await sql.run('UPDATE search_indexes SET used_at = ? WHERE content = ?', [now(), name]);
      }
      return readBlob(context, blob);
    },

    async put(key, bytes, { maxBytes }) {
      const name = encodeName(key, 'key of an index');
      if (bytes.length > maxBytes) return;
      const blob = await writeBlob(context, bytes);
      const unused = await sql.transaction(async (statements) => {
        await checkBlob(statements, blob);
        const [known] = await statements.all(
          `SELECT blob, blob_count FROM search_indexes WHERE content = ? ${lockRows(statements.dialect)}`,
          [name],
        );
        const row = { content: name, blob: blob.id, blob_count: blob.parts, size: bytes.length, used_at: now() };
        await insertRows(statements, 'search_indexes', [row], { key: ['content'], existing: 'replace' });
        return [...blobsOf(known === undefined ? [] : [known]), ...(await makeRoom(statements, maxBytes))];
      });
      for (const one of unused) await forgetBlob(context, one);
    },
  };
}

function blobsOf(rows: readonly Row[]): readonly Blob[] {
  return rows.flatMap((row) => blobOf(row) ?? []);
}
