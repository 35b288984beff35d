import { closeSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'libsql';
import { makeFolder } from '../make-folder.ts';
import { StoreError } from '../store-error.ts';
import { explainFault } from './database-fault.ts';
import type { Row, Sql, SqlValue, Statements } from './sql.ts';
import { sqlitePresence } from './sqlite-presence.ts';

/** How long a caller waits for its turn and for other programs to finish writing. Transactions here take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** The longest pause between two tries. */
const MOST_PAUSE_MS = 20;

/** How many compiled statements are cached. There are few texts; lists of values come in a limited number of lengths. */
const MOST_STATEMENTS = 200;

type Statement = ReturnType<Database.Database['prepare']>;

/** One file in WAL mode, or `:memory:`. The driver is synchronous, so one connection serves a process. */
export function openSqlite(path: string): Sql {
  const database = open(path);
  const file = statOf(path);
  const compiled = new Map<string, Statement>();
  let tail: Promise<unknown> = Promise.resolve();

  function prepare(text: string): Statement {
    const known = compiled.get(text);
    if (known !== undefined) return known;
    if (compiled.size >= MOST_STATEMENTS) compiled.clear();
    const statement = database.prepare(text);
    compiled.set(text, statement);
    return statement;
  }

  const direct: Statements = {
    dialect: 'sqlite',
    all: async (text, values = []) => prepare(text).all(bindable(values)) as readonly Row[],
    run: async (text, values = []) => prepare(text).run(bindable(values)).changes,
  };

  /** What is between `BEGIN` and `COMMIT` on the one connection belongs to the transaction, so everything else queues. */
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = tail.then(work);
    tail = result.catch(() => undefined);
    return result.catch((error) => {
      throw explainFault(error, 'SQLite');
    });
  }

  /** Waits for its turn, then for other programs, no longer than the timeout in total. */
  function onTurn<Result>(
    work: (first: <Value>(attempt: () => Promise<Value>) => Promise<Value>) => Promise<Result>,
  ): Promise<Result> {
    const givenUpAt = performance.now() + BUSY_TIMEOUT_MS;
    return alone(() => {
      refuseGoneFile();
      return work((attempt) => whenFree(attempt, givenUpAt));
    });
  }

  /** SQLite would continue with a deleted or replaced file, and everything it writes would be lost. */
  function refuseGoneFile(): void {
    if (file === undefined) return;
    const now = statOf(path);
    if (now?.ino === file.ino && now.dev === file.dev) return;
    throw new StoreError('unavailable', 'The store (SQLite) is unavailable: its file was deleted or replaced; restart');
  }

  const presence = sqlitePresence(path);
  return {
    dialect: 'sqlite',
    presence,
    all: (text, values) => onTurn((first) => first(() => direct.all(text, values))),
    run: (text, values) => onTurn((first) => first(() => direct.run(text, values))),
    transaction: (work) =>
      onTurn(async (first) => {
        await first(async () => database.exec('BEGIN IMMEDIATE'));
        try {
          const result = await work(direct);
          database.exec('COMMIT');
          return result;
        } catch (error) {
          if (database.inTransaction) database.exec('ROLLBACK');
          throw error;
        }
      }),
    close: () =>
      alone(async () => {
        if (!database.open) return;
        compiled.clear();
        await presence.close();
        try {
          // The driver leaves the log behind; once it is written back, one file is all there is to copy.
          database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        } catch {
          // On a full disk the log stays. It is complete, and the next start reads it.
        } finally {
          database.close();
        }
      }),
  };
}

/** Tries again while another connection is writing. */
async function whenFree<Result>(work: () => Promise<Result>, givenUpAt: number): Promise<Result> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= givenUpAt) throw error;
    }
    await setTimeout(pauseMs * Math.random());
  }
}

function statOf(path: string): Stats | undefined {
  return path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function open(path: string): Database.Database {
  try {
    if (path !== ':memory:') createPrivateFile(path);
    const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    // NORMAL survives the death of the process at any moment; only a power failure can lose the last commits, never the file.
    // Requests are deleted with their answer, so deleted data is also overwritten.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
    // From here on we wait ourselves: the driver's own waiting would block everything else in the process.
    database.exec('PRAGMA busy_timeout = 0;');
    return database;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('unreachable', `The store ${path} can't be opened: ${reason}`, { cause });
  }
}

/** Batches contain people's requests, so only the owner can read the file. SQLite gives its side files the same mode. */
function createPrivateFile(path: string): void {
  makeFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
}

/** The driver ends the whole process on a value of an unknown kind. */
function bindable(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => {
    const fits = value === null || typeof value === 'string' || value instanceof Uint8Array || Number.isFinite(value);
    if (fits) return value;
    throw new StoreError('invalid_value', `A value of type ${typeof value} can't be stored`);
  });
}
