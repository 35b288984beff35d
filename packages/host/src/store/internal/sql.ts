/** The types that both drivers accept for a placeholder. Booleans are stored as times or not at all. */
export type SqlValue = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, unknown>>;

export type Dialect = 'sqlite' | 'postgres';

/** Statements are written once, with `?` for each value; each driver translates that. No literal may contain a `?`. */
export interface Statements {
  readonly dialect: Dialect;
  /** The rows that a query or a `RETURNING` clause yields. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** How many rows a statement changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/** A database. Inside `transaction` only the given statements may be used: the outer ones wait for its end. */
export interface Sql extends Statements {
  /** All or nothing. The work may be repeated from its start after a conflict with another replica, so it must have no other effect. */
  transaction<Result>(work: (statements: Statements) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  readonly presence: Presence;
  close(): Promise<void>;
}

/** Which processes work on a database. */
export interface Presence {
  /** Counts this process as a worker for as long as it lives. Runs something first if there is no other. */
  enlist(whenAlone: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Whether its statements have no time limit, as for changes to tables. @default false */
  readonly isUnhurried?: boolean;
}

/** Appended to a `SELECT` in a transaction. SQLite's transactions are exclusive anyway. */
export function lockRows(dialect: Dialect): string {
  return dialect === 'postgres' ? 'FOR UPDATE' : '';
}

/** A row to be written, by column. */
export type NewRow = Readonly<Record<string, SqlValue>>;

/** What becomes of a row whose key is there already. */
interface Conflict {
  readonly key: readonly string[];
  /** It stays as it is, gets the new values, or the new ones are added to its own. */
  readonly existing: 'keep' | 'replace' | 'add';
  /** Columns that stay in any case. @default none */
  readonly keeps?: readonly string[];
}

/** The rows of one statement: the drivers limit the number of placeholders. */
export const ROWS_AT_ONCE = 200;

/** Writes rows that have the same columns. */
export async function insertRows(
  statements: Pick<Statements, 'run'>,
  table: string,
  rows: readonly NewRow[],
  conflict?: Conflict,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const row = `(${marks(columns)})`;
  for (const some of chunks(rows, ROWS_AT_ONCE)) {
    await statements.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${some.map(() => row).join(', ')} ${onConflict(table, columns, conflict)}`,
      some.flatMap((values) => columns.map((column) => values[column] ?? null)),
    );
  }
}

function onConflict(table: string, columns: readonly string[], conflict: Conflict | undefined): string {
  if (conflict === undefined) return '';
  const { key, existing, keeps = [] } = conflict;
  const start = `ON CONFLICT (${key.join(', ')}) DO`;
  if (existing === 'keep') return `${start} NOTHING`;
  const changed = columns.filter((column) => !key.includes(column) && !keeps.includes(column));
  const before = (column: string): string => (existing === 'add' ? `${table}.${column} + ` : '');
  return `${start} UPDATE SET ${changed.map((column) => `${column} = ${before(column)}excluded.${column}`).join(', ')}`;
}

/** `?, ?` for a list of values. */
export function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** A condition and its values. It does not apply if one of them is undefined. */
export type Condition = readonly [text: string, ...values: (SqlValue | undefined)[]];

/** The `WHERE` clause of all conditions that apply; empty if none does. */
export function where(...conditions: readonly Condition[]): { readonly text: string; readonly values: SqlValue[] } {
  const applying = conditions.filter((condition): condition is readonly [string, ...SqlValue[]] =>
    condition.every((part) => part !== undefined),
  );
  return {
    text: applying.length === 0 ? '' : `WHERE ${applying.map(([text]) => text).join(' AND ')}`,
    values: applying.flatMap(([, ...values]) => values),
  };
}

/** Pieces of at most `size`, so that a statement stays below the drivers' limits on placeholders. */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
