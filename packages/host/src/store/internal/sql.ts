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

/** `(?, ?), (?, ?)` for rows of values. */
export function placeholders(rows: number, columns: number): string {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
}

/** Pieces of at most `size`, so that a statement stays below the drivers' limits on placeholders. */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
