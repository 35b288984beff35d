import { decodeText, encodeText, MOST_NAME_CHARACTERS, numberOf, textOf } from './internal/columns.ts';
import { chunks, placeholders, type Row, type SqlValue } from './internal/sql.ts';
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

const ROWS_AT_ONCE = 50;

const COLUMNS = INSIGHT_COUNTS.map((count) => count.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

export function createInsightStore({ sql }: StoreContext): InsightStore {
  return {
    async add({ cells, records }) {
      const rows = rowsOf(cells);
      await sql.transaction(async (statements) => {
        for (const some of chunks(rows, ROWS_AT_ONCE)) {
          await statements.run(
            `INSERT INTO insight_days (day, owner, model, form, catalog, ${COLUMNS.join(', ')})
             VALUES ${placeholders(some.length, 5 + COLUMNS.length)}
             ON CONFLICT (day, owner, model, form, catalog) DO UPDATE SET
             ${COLUMNS.map((column) => `${column} = insight_days.${column} + excluded.${column}`).join(', ')}`,
            some.flat(),
          );
        }
        for (const some of chunks(records, ROWS_AT_ONCE)) {
          await statements.run(
            `INSERT INTO insight_requests (id, owner, at, outcomes, size, record) VALUES ${placeholders(some.length, 6)}
             ON CONFLICT (id) DO NOTHING`,
            some.flatMap(({ id, owner, atMs, outcomes, record }): SqlValue[] => [
              ...[encodeText(id), encodeText(owner), atMs],
              ...[` ${outcomes.join(' ')} `, Buffer.byteLength(record), encodeText(record)],
            ]),
          );
        }
      });
    },

    async cells({ owner, fromDay }) {
      const rows = await sql.all(
        `SELECT * FROM insight_days WHERE day >= ? ${owner === undefined ? '' : 'AND owner = ?'} ORDER BY day LIMIT ?`,
        [fromDay, ...(owner === undefined ? [] : [encodeText(owner)]), MOST_CELLS],
      );
      return rows.map(cellOf);
    },

    async records({ owner, limit, beforeMs, outcome }) {
      const rows = await sql.all(
        `SELECT id, owner, at, outcomes, record FROM insight_requests WHERE at < ?
         ${owner === undefined ? '' : 'AND owner = ?'} ${outcome === undefined ? '' : 'AND outcomes LIKE ?'}
         ORDER BY at DESC, id DESC LIMIT ?`,
        [
          beforeMs ?? Number.MAX_SAFE_INTEGER,
          ...(owner === undefined ? [] : [encodeText(owner)]),
          ...(outcome === undefined ? [] : [`% ${outcome} %`]),
          limit,
        ],
      );
      return rows.map(recordOf);
    },

    async record(id) {
      const [row] = await sql.all('SELECT id, owner, at, outcomes, record FROM insight_requests WHERE id = ?', [
        encodeText(id),
      ]);
      return row === undefined ? undefined : recordOf(row);
    },

    async sweep({ fromMs, maxBytes }) {
      await sql.run('DELETE FROM insight_days WHERE day < ?', [new Date(fromMs).toISOString().slice(0, 10)]);
      let deleted = await sql.run('DELETE FROM insight_requests WHERE at < ?', [fromMs]);
      const [sum] = await sql.all('SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size FROM insight_requests');
      let excess = (sum === undefined ? 0 : numberOf(sum, 'size')) - maxBytes;
      while (excess > 0) {
        const oldest = await sql.all('SELECT id, size FROM insight_requests ORDER BY at, id LIMIT ?', [SWEPT_AT_ONCE]);
        if (oldest.length === 0) break;
        const gone: string[] = [];
        for (const row of oldest) {
          if (excess <= 0) break;
          gone.push(textOf(row, 'id'));
          excess -= numberOf(row, 'size');
        }
        deleted += await sql.run(`DELETE FROM insight_requests WHERE id IN (${gone.map(() => '?').join(', ')})`, gone);
      }
      return deleted;
    },
  };
}

/** More than a year of fifty keys with five models each. */
const MOST_CELLS = 100_000;

const SWEPT_AT_ONCE = 200;

/**
 * One row per place as stored: names that are cut may be equal, and PostgreSQL accepts no row twice in one statement.
 * In one order, so that two replicas can't deadlock on each other's rows.
 */
function rowsOf(cells: readonly InsightCell[]): SqlValue[][] {
  const rows = new Map<string, { readonly place: readonly string[]; readonly counts: number[] }>();
  for (const cell of cells) {
    const place = [cell.day, ...[cell.owner, cell.model, cell.form, cell.catalog].map(columnText)];
    const key = JSON.stringify(place);
    const row = rows.get(key) ?? { place, counts: INSIGHT_COUNTS.map(() => 0) };
    for (const [at, count] of INSIGHT_COUNTS.entries())
      row.counts[at] = (row.counts[at] ?? 0) + Math.round(cell[count]);
    rows.set(key, row);
  }
  const sorted = [...rows].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, { place, counts }]) => [...place, ...counts]);
}

/** Clients choose names of models; a name that is too long for a key is cut. */
function columnText(text: string): string {
  return encodeText(text.slice(0, MOST_NAME_CHARACTERS / 4));
}

function cellOf(row: Row): InsightCell {
  const counts = Object.fromEntries(INSIGHT_COUNTS.map((count, at) => [count, numberOf(row, COLUMNS[at] ?? '')]));
  const name = (column: string): string => decodeText(textOf(row, column));
  return {
    ...(counts as unknown as InsightCounts),
    day: textOf(row, 'day'),
    ...{ owner: name('owner'), model: name('model'), form: name('form'), catalog: name('catalog') },
  };
}

function recordOf(row: Row): InsightRecord {
  return {
    id: decodeText(textOf(row, 'id')),
    owner: decodeText(textOf(row, 'owner')),
    atMs: numberOf(row, 'at'),
    outcomes: textOf(row, 'outcomes').trim().split(' ').filter(Boolean),
    record: decodeText(textOf(row, 'record')),
  };
}
