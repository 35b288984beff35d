import { closeSync, openSync } from 'node:fs';
import Database from 'libsql';
import type { Presence } from './sql.ts';

/**
 * Every worker has a file next to the store open and locked for reading; the system releases the lock when the process dies.
 * A process that can lock it for writing is alone. SQLite's own locks do this on every system.
 */
export function sqlitePresence(path: string): Presence {
  let database: Database.Database | undefined;

  function open(): Database.Database {
    const file = `${path}-workers`;
    closeSync(openSync(file, 'a', 0o600));
    return new Database(file, { timeout: 0 });
  }

  return {
    async enlist(whenAlone) {
      // No other process can open a store in memory, and nothing in it outlives this one.
      if (path === ':memory:') return;
      database = open();
      if (isAlone(database)) {
        await whenAlone();
        database.exec('COMMIT');
      }
      database.exec('BEGIN');
      database.prepare('SELECT COUNT(*) FROM sqlite_schema').all([]);
    },
    async close() {
      // The driver keeps the file open while a statement lives, and with it the lock.
      if (database?.inTransaction === true) database.exec('COMMIT');
      database?.close();
      database = undefined;
    },
  };
}

function isAlone(database: Database.Database): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}
