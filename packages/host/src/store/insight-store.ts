import { decodedOf, encodeGiven, encodeText, MOST_NAME_CHARACTERS, numberOf, textOf } from './internal/columns.ts';
import { deleteOldest } from './internal/delete-oldest.ts';
import { insertRows, marks, type NewRow, type Row, where } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** What tool search did and saved: counts by day, and the records of requests if their texts may be stored. */
export interface InsightStore {
  /** Adds to the counts, and stores the records. All or nothing; existing records are not replaced. */
  add(insight: { readonly cells: readonly InsightCell[]; readonly records: readonly InsightRecord[] }): Promise<void>;
  /** The counts of one owner, or of all, from a day on. */
  cells(query: { readonly owner?: string | undefined; readonly fromDay: string }): Promise<readonly InsightCell[]>;
  /** The latest records first. */
  records(query: InsightQuery): Promise<readonly InsightRecord[]>;
  record(id: string): Promise<InsightRecord | undefined>;
  /** Deletes days and records before the given ones, then the oldest records until the rest fits; returns how many records were deleted. */
  sweep(bounds: { readonly fromMs: number; readonly maxBytes: number }): Promise<number>;
}

/** What is counted about requests. */
export const INSIGHT_COUNTS = [
  ...['requests', 'deferred', 'searched', 'called', 'neither', 'searches', 'foundNothing', 'found', 'unused'],
  ...['keptOut', 'added', 'inputTokens', 'outputTokens'],
] as readonly (keyof InsightCounts)[];

/** Counts of requests and their usage. */
export interface InsightCounts {
  /** Answered requests. */
  requests: number;
  /** Those with deferred tools; the next three say how far their conversations got. */
  deferred: number;
  searched: number;
  called: number;
  neither: number;
  searches: number;
  foundNothing: number;
  /** Tools that searches found, and those of them that the response did not call. */
  found: number;
  unused: number;
  keptOut: number;
  added: number;
  inputTokens: number;
  outputTokens: number;
}

/** The counts of one day, key, model, form and catalog. */
export interface InsightCell extends InsightCounts, InsightPlace {}

/** What a count is about. */
export interface InsightPlace {
  /** `2026-11-15`, in UTC. */
  readonly day: string;
  /** An API key's id, or `''` without keys. */
  readonly owner: string;
  readonly model: string;
  readonly form: string;
  readonly catalog: string;
}

/** One request as JSON, with the fields to find it by. */
export interface InsightRecord {
  readonly id: string;
  readonly owner: string;
  readonly atMs: number;
  readonly outcomes: readonly string[];
  readonly record: string;
}

/** Which records are wanted. */
export interface InsightQuery {
  readonly owner?: string | undefined;
  readonly limit: number;
  /** Only requests that began before this time. */
  readonly beforeMs?: number | undefined;
  readonly outcome?: string | undefined;
}

const COLUMNS = INSIGHT_COUNTS.map((count) => count.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

export function createInsightStore({ sql }: StoreContext): InsightStore {
  return {
    async add({ cells, records }) {
      const rows = rowsOf(cells);
      await sql.transaction(async (statements) => {
        await insertRows(statements, 'insight_days', rows, { key: PLACE, existing: 'add' });
        await insertRows(statements, 'insight_requests', records.map(rowOf), { key: ['id'], existing: 'keep' });
      });
    },

    async cells({ owner, fromDay }) {
      const { text, values } = where(['day >= ?', fromDay], ['owner = ?', encodeGiven(owner)]);
      return (await sql.all(`SELECT * FROM insight_days ${text} ORDER BY day LIMIT ?`, [...values, MOST_CELLS])).map(
        cellOf,
      );
    },

    async records({ owner, limit, beforeMs, outcome }) {
      const { text, values } = where(
        ['at < ?', beforeMs],
        ['owner = ?', encodeGiven(owner)],
        ['outcomes LIKE ?', outcome && `% ${outcome} %`],
      );
      const order = 'ORDER BY at DESC, id DESC LIMIT ?';
      return (await sql.all(`SELECT * FROM insight_requests ${text} ${order}`, [...values, limit])).map(recordOf);
    },

    async record(id) {
      const [row] = await sql.all('SELECT * FROM insight_requests WHERE id = ?', [encodeText(id)]);
      return row === undefined ? undefined : recordOf(row);
    },

    async sweep({ fromMs, maxBytes }) {
      await sql.run('DELETE FROM insight_days WHERE day < ?', [new Date(fromMs).toISOString().slice(0, 10)]);
      const old = await sql.run('DELETE FROM insight_requests WHERE at < ?', [fromMs]);
      const excess = await deleteOldest(sql, {
        ...{ table: 'insight_requests', id: 'id', order: 'at', maxBytes },
        delete: (ids) => sql.run(`DELETE FROM insight_requests WHERE id IN (${marks(ids)})`, ids),
      });
      return old + excess;
    },
  };
}

/** More than a year of fifty keys with five models each. */
const MOST_CELLS = 100_000;

const PLACE = ['day', 'owner', 'model', 'form', 'catalog'];

/**
 * One row per place as stored: names that are cut may be equal, and PostgreSQL accepts no row twice in one statement.
 * In one order, so that two replicas can't deadlock on each other's rows.
 */
function rowsOf(cells: readonly InsightCell[]): readonly NewRow[] {
  const rows = new Map<string, { readonly place: NewRow; readonly counts: Record<string, number> }>();
  for (const { day, owner, model, form, catalog, ...counts } of cells) {
    const names = Object.entries({ owner, model, form, catalog }).map(([name, text]) => [name, columnText(text)]);
    const place: NewRow = { day, ...Object.fromEntries(names) };
    const key = JSON.stringify(Object.values(place));
    const row = rows.get(key) ?? { place, counts: Object.fromEntries(COLUMNS.map((column) => [column, 0])) };
    for (const [at, column] of COLUMNS.entries()) {
      row.counts[column] = (row.counts[column] ?? 0) + Math.round(counts[INSIGHT_COUNTS[at] ?? 'requests']);
    }
    rows.set(key, row);
  }
  const sorted = [...rows].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, { place, counts }]) => ({ ...place, ...counts }));
}

function rowOf({ id, owner, atMs, outcomes, record }: InsightRecord): NewRow {
  return {
    ...{ id: encodeText(id), owner: encodeText(owner), at: atMs, outcomes: ` ${outcomes.join(' ')} ` },
    ...{ size: Buffer.byteLength(record), record: encodeText(record) },
  };
}

/** Clients choose names of models; a name that is too long for a key is cut. */
function columnText(text: string): string {
  return encodeText(text.slice(0, MOST_NAME_CHARACTERS / 4));
}

function cellOf(row: Row): InsightCell {
  const counts = Object.fromEntries(INSIGHT_COUNTS.map((count, at) => [count, numberOf(row, COLUMNS[at] ?? '')]));
  return {
    ...(counts as unknown as InsightCounts),
    day: textOf(row, 'day'),
    ...{ owner: decodedOf(row, 'owner'), model: decodedOf(row, 'model') },
    ...{ form: decodedOf(row, 'form'), catalog: decodedOf(row, 'catalog') },
  };
}

function recordOf(row: Row): InsightRecord {
  return {
    id: decodedOf(row, 'id'),
    owner: decodedOf(row, 'owner'),
    atMs: numberOf(row, 'at'),
    outcomes: textOf(row, 'outcomes').trim().split(' ').filter(Boolean),
    record: decodedOf(row, 'record'),
  };
}
