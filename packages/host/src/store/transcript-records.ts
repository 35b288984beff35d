import { createHash } from 'node:crypto';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { bytesOf, textOf } from './internal/columns.ts';
import { deleteOldest } from './internal/delete-oldest.ts';
import type { Seal } from './internal/seal.ts';
import { chunks, insertRows, marks, ROWS_AT_ONCE, type Row, type Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/**
 * What responses contained and their clients were not shown, encrypted, so that a conversation can continue after a restart
 * or on another replica.
 */
export interface TranscriptRecords {
  /** Whether there is a key to encrypt with. Without one nothing can be stored. */
  readonly canKeep: boolean;
  /** The entries of one owner. Owners see nothing of each other. */
  storeFor(owner: string): TranscriptStore;
  /** Deletes what is older than the given age, then the oldest until the rest fits; returns how many entries were deleted. */
  sweep(bounds: { readonly maxAgeMs: number; readonly maxBytes: number }): Promise<number>;
}

/** Rows are found by hashes of owner and id, so that the database does not show whose conversation it is. */
export function createTranscriptRecords(
  { sql, now, createId }: StoreContext,
  { seal, canKeep }: { readonly seal: Seal; readonly canKeep: boolean },
): TranscriptRecords {
  async function deleteEntries(entries: readonly string[]): Promise<void> {
    for (const some of chunks(entries, ROWS_AT_ONCE)) {
      await sql.transaction(async (statements) => {
        await statements.run(`DELETE FROM transcript_ids WHERE entry IN (${marks(some)})`, some);
        await statements.run(`DELETE FROM transcript_entries WHERE entry IN (${marks(some)})`, some);
      });
    }
  }

  /** Sealed under a name of its own: an entry never changes, so its name shows whether another replica was faster. */
  function sealed(hidden: Hidden): { readonly entry: string; insert(statements: Statements): Promise<void> } {
    const entry = createId('trn_');
    const bytes = seal.close(JSON.stringify(hidden), entry);
    const row = { entry, sealed: bytes, size: bytes.byteLength, created_at: now() };
    return { entry, insert: (statements) => insertRows(statements, 'transcript_entries', [row]) };
  }

  function readEntries(entries: readonly string[]): Promise<readonly Row[]> {
    return sql.all(`SELECT entry, sealed FROM transcript_entries WHERE entry IN (${marks(entries)})`, entries);
  }

  return {
    canKeep,
    storeFor: (owner) => ({
      async keep(ids, hidden) {
        const { entry, insert } = sealed(hidden);
        // In the order of their hashes, so that two replicas can't deadlock on each other's rows.
        const places = [...new Set(ids.map((id) => placeOf(owner, id)))].sort();
        await sql.transaction(async (statements) => {
          await insert(statements);
          const rows = places.map((place) => ({ place, entry }));
          await insertRows(statements, 'transcript_ids', rows, { key: ['place'], existing: 'replace' });
        });
      },

      async replace(before, after) {
        const place = placeOf(owner, before.id);
        const [row] = await sql.all(
          `SELECT entries.entry AS entry, entries.sealed AS sealed
           FROM transcript_ids ids JOIN transcript_entries entries ON entries.entry = ids.entry WHERE ids.place = ?`,
          [place],
        );
        if (row === undefined) return false;
        const old = textOf(row, 'entry');
        if (seal.open(bytesOf(row, 'sealed'), old) !== JSON.stringify(before)) return false;
        const { entry, insert } = sealed(after);
        return sql.transaction(async (statements) => {
          const values = [entry, place, old];
          const moved = await statements.run(
            'UPDATE transcript_ids SET entry = ? WHERE place = ? AND entry = ?',
            values,
          );
          if (moved === 0) return false;
          await insert(statements);
          await statements.run('DELETE FROM transcript_entries WHERE entry = ?', [old]);
          return true;
        });
      },

      async find(ids) {
        const idByPlace = new Map(ids.map((id) => [placeOf(owner, id), id]));
        const entryByPlace = new Map<string, string>();
        for (const some of chunks([...idByPlace.keys()], ROWS_AT_ONCE)) {
          const rows = await sql.all(`SELECT place, entry FROM transcript_ids WHERE place IN (${marks(some)})`, some);
          for (const row of rows) entryByPlace.set(textOf(row, 'place'), textOf(row, 'entry'));
        }
        // Most entries have several ids: each is read once.
        const opened = new Map<string, Hidden>();
        for (const some of chunks([...new Set(entryByPlace.values())], ROWS_AT_ONCE)) {
          for (const row of await readEntries(some)) {
            const entry = textOf(row, 'entry');
            opened.set(entry, JSON.parse(seal.open(bytesOf(row, 'sealed'), entry)) as Hidden);
          }
        }
        const found = new Map<string, Hidden>();
        for (const [place, entry] of entryByPlace) {
          const [id, hidden] = [idByPlace.get(place), opened.get(entry)];
          if (id !== undefined && hidden !== undefined) found.set(id, hidden);
        }
        return found;
      },

      async forget(ids) {
        for (const some of chunks([...new Set(ids.map((id) => placeOf(owner, id)))], ROWS_AT_ONCE)) {
          const rows = await sql.all(`SELECT DISTINCT entry FROM transcript_ids WHERE place IN (${marks(some)})`, some);
          await deleteEntries(rows.map((row) => textOf(row, 'entry')));
        }
      },
    }),

    async sweep({ maxAgeMs, maxBytes }) {
      const old = await sql.all('SELECT entry FROM transcript_entries WHERE created_at < ? LIMIT ?', [
        now() - maxAgeMs,
        MOST_SWEPT,
      ]);
      await deleteEntries(old.map((row) => textOf(row, 'entry')));
      const table = { table: 'transcript_entries', id: 'entry', order: 'created_at' };
      return old.length + (await deleteOldest(sql, { ...table, maxBytes, delete: deleteEntries }));
    },
  };
}

/** The rest is left to the next sweep: none of them should block the database. */
const MOST_SWEPT = 10_000;

function placeOf(owner: string, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, id]))
    .digest('hex');
}
