import { createHash } from 'node:crypto';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { bytesOf, numberOf, textOf } from './internal/columns.ts';
import type { Seal } from './internal/seal.ts';
import { chunks, placeholders, type SqlValue } from './internal/sql.ts';
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

const ROWS_AT_ONCE = 200;

/** Rows are found by hashes of owner and id, so that the database does not show whose conversation it is. */
export function createTranscriptRecords(
  { sql, now, createId }: StoreContext,
  { seal, canKeep }: { readonly seal: Seal; readonly canKeep: boolean },
): TranscriptRecords {
  async function deleteEntries(entries: readonly string[]): Promise<void> {
    for (const some of chunks(entries, ROWS_AT_ONCE)) {
      const marks = some.map(() => '?').join(', ');
      await sql.transaction(async (statements) => {
        await statements.run(`DELETE FROM transcript_ids WHERE entry IN (${marks})`, some);
        await statements.run(`DELETE FROM transcript_entries WHERE entry IN (${marks})`, some);
      });
    }
  }

  return {
    canKeep,
    storeFor: (owner) => ({
      async keep(ids, hidden) {
        const entry = createId('trn_');
        const sealed = seal.close(JSON.stringify(hidden), entry);
        // In the order of their hashes, so that two replicas can't deadlock on each other's rows.
        const places = [...new Set(ids.map((id) => placeOf(owner, id)))].sort();
        await sql.transaction(async (statements) => {
          await statements.run(INSERT_ENTRY, [entry, sealed, sealed.byteLength, now()]);
          for (const some of chunks(places, ROWS_AT_ONCE)) {
            await statements.run(
              `INSERT INTO transcript_ids (place, entry) VALUES ${placeholders(some.length, 2)}
               ON CONFLICT (place) DO UPDATE SET entry = excluded.entry`,
              some.flatMap((place): SqlValue[] => [place, entry]),
            );
          }
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
        const entry = createId('trn_');
        const sealed = seal.close(JSON.stringify(after), entry);
        return sql.transaction(async (statements) => {
          // An entry never changes, so its name shows whether another replica was faster.
          const values = [entry, place, old];
          const moved = await statements.run(
            'UPDATE transcript_ids SET entry = ? WHERE place = ? AND entry = ?',
            values,
          );
          if (moved === 0) return false;
          await statements.run(INSERT_ENTRY, [entry, sealed, sealed.byteLength, now()]);
          await statements.run('DELETE FROM transcript_entries WHERE entry = ?', [old]);
          return true;
        });
      },

      async find(ids) {
        const idByPlace = new Map(ids.map((id) => [placeOf(owner, id), id]));
        const found = new Map<string, Hidden>();
        const opened = new Map<string, Hidden>();
        for (const some of chunks([...idByPlace.keys()], ROWS_AT_ONCE)) {
          const rows = await sql.all(
            `SELECT ids.place AS place, entries.entry AS entry, entries.sealed AS sealed
             FROM transcript_ids ids JOIN transcript_entries entries ON entries.entry = ids.entry
             WHERE ids.place IN (${some.map(() => '?').join(', ')})`,
            some,
          );
          for (const row of rows) {
            const id = idByPlace.get(textOf(row, 'place'));
            if (id === undefined) continue;
            const entry = textOf(row, 'entry');
            const hidden = opened.get(entry) ?? (JSON.parse(seal.open(bytesOf(row, 'sealed'), entry)) as Hidden);
            opened.set(entry, hidden);
            found.set(id, hidden);
          }
        }
        return found;
      },

      async forget(ids) {
        for (const some of chunks([...new Set(ids.map((id) => placeOf(owner, id)))], ROWS_AT_ONCE)) {
          const marks = some.map(() => '?').join(', ');
          const rows = await sql.all(`SELECT DISTINCT entry FROM transcript_ids WHERE place IN (${marks})`, some);
          await deleteEntries(rows.map((row) => textOf(row, 'entry')));
        }
      },
    }),

    async sweep({ maxAgeMs, maxBytes }) {
      let deleted = 0;
      const old = await sql.all('SELECT entry FROM transcript_entries WHERE created_at < ? LIMIT ?', [
        now() - maxAgeMs,
        MOST_SWEPT,
      ]);
      await deleteEntries(old.map((row) => textOf(row, 'entry')));
      deleted += old.length;
      const [sum] = await sql.all('SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size FROM transcript_entries');
      let excess = (sum === undefined ? 0 : numberOf(sum, 'size')) - maxBytes;
      while (excess > 0) {
        const oldest = await sql.all('SELECT entry, size FROM transcript_entries ORDER BY created_at, entry LIMIT ?', [
          ROWS_AT_ONCE,
        ]);
        if (oldest.length === 0) break;
        const gone: string[] = [];
        for (const row of oldest) {
          if (excess <= 0) break;
          gone.push(textOf(row, 'entry'));
          excess -= numberOf(row, 'size');
        }
        await deleteEntries(gone);
        deleted += gone.length;
      }
      return deleted;
    },
  };
}

const INSERT_ENTRY = 'INSERT INTO transcript_entries (entry, sealed, size, created_at) VALUES (?, ?, ?, ?)';

/** The rest is left to the next sweep: none of them should block the database. */
const MOST_SWEPT = 10_000;

function placeOf(owner: string, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, id]))
    .digest('hex');
}
