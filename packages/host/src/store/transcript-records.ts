import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { bytesOf, numberOf, textOf } from './internal/columns.ts';
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

  /** The entry of each id that has one, and its size. */
  async function entriesOf(
    wanted: readonly { readonly id: string; readonly place: string }[],
  ): Promise<ReadonlyMap<string, StoredEntry>> {
    const idByPlace = new Map(wanted.map(({ id, place }) => [place, id]));
    const entries = new Map<string, StoredEntry>();
    for (const some of chunks([...idByPlace.keys()], ROWS_AT_ONCE)) {
      const rows = await sql.all(
        `SELECT ids.place AS place, entries.entry AS entry, entries.size AS size
         FROM transcript_ids ids JOIN transcript_entries entries ON entries.entry = ids.entry
         WHERE ids.place IN (${marks(some)})`,
        some,
      );
      for (const row of rows) {
        const id = idByPlace.get(textOf(row, 'place'));
        if (id !== undefined) entries.set(id, { entry: textOf(row, 'entry'), size: numberOf(row, 'size') });
      }
    }
    return entries;
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
        const entries = await entriesOf(ids.map((id) => ({ id, place: placeOf(owner, id) })));
        const opened = new Map<string, Hidden>();
        for (const some of inGroups(fitting([...ids].reverse(), entries))) {
          for (const row of await readEntries(some)) {
            const entry = textOf(row, 'entry');
            opened.set(entry, JSON.parse(seal.open(bytesOf(row, 'sealed'), entry)) as Hidden);
          }
          // Opening a group takes milliseconds.
          await setImmediate();
        }
        return new Map(
          ids.flatMap((id) => {
            const hidden = opened.get(entries.get(id)?.entry ?? '');
            return hidden === undefined ? [] : [[id, hidden] as const];
          }),
        );
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

interface StoredEntry {
  readonly entry: string;
  readonly size: number;
}

/** More than any model can read. A short request can name thousands of entries. */
const MOST_FOUND_BYTES = 32 * 1024 * 1024;

/** The entries of these ids, each once, up to the first that does not fit any more. */
function fitting(ids: readonly string[], entries: ReadonlyMap<string, StoredEntry>): readonly StoredEntry[] {
  const chosen = new Map<string, StoredEntry>();
  let bytes = 0;
  for (const id of ids) {
    const found = entries.get(id);
    if (found === undefined || chosen.has(found.entry)) continue;
    bytes += found.size;
    if (bytes > MOST_FOUND_BYTES && chosen.size > 0) break;
    chosen.set(found.entry, found);
  }
  return [...chosen.values()];
}

/** How much is read and parsed at a time, unless a single entry is larger. */
const GROUP_BYTES = 512 * 1024;

function inGroups(entries: readonly StoredEntry[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let bytes = GROUP_BYTES;
  for (const { entry, size } of entries) {
    const group = groups.at(-1);
    if (group === undefined || bytes + size > GROUP_BYTES || group.length === ROWS_AT_ONCE) {
      groups.push([entry]);
      bytes = size;
    } else {
      group.push(entry);
      bytes += size;
    }
  }
  return groups;
}

/** The rest is left to the next sweep: none of them should block the database. */
const MOST_SWEPT = 10_000;

function placeOf(owner: string, id: string): string {
  return hash('sha256', JSON.stringify([owner, id]));
}
