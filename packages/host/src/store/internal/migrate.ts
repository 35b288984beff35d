import { StoreError } from '../store-error.ts';
import { numberOf } from './columns.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Dialect, Sql, Statements } from './sql.ts';

/** Any number that no other program on the same server is likely to use for its own lock. */
const ADVISORY_LOCK = 7_128_846_201;

/**
 * Brings the tables up to date. Replicas that start together do it one after the other (an advisory lock, or SQLite's only
 * writer), and all but the first find nothing to do. All steps are one transaction: a start that dies leaves the old tables.
 */
export async function migrate(
  sql: Sql,
  now: () => number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const bringUpToDate = async (statements: Statements): Promise<void> => {
    if (statements.dialect === 'postgres') await statements.all(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    await statements.run(
      translate(
        'CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
        statements.dialect,
      ),
    );
    const version = await appliedVersion(statements);
    if (version > migrations.length) {
      throw new StoreError(
        'newer_schema',
        `The store's tables have version ${version}, but this program knows only ${migrations.length}; start the version that created them, or a newer one`,
      );
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      for (const text of migration.statements) await statements.run(translate(text, statements.dialect));
      await statements.run('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)', [
        index + 1,
        migration.name,
        now(),
      ]);
    }
  };
  await sql.transaction(bringUpToDate, { isUnhurried: true });
}

async function appliedVersion(statements: Statements): Promise<number> {
  const [row] = await statements.all('SELECT COALESCE(MAX(version), 0) AS version FROM migrations');
  return row === undefined ? 0 : numberOf(row, 'version');
}

/** Text is compared by bytes on both, whatever the server's locale. */
function translate(text: string, dialect: Dialect): string {
  if (dialect === 'sqlite') return text.replace(/\bBYTES\b/g, 'BLOB');
  return text.replace(/\bBYTES\b/g, 'BYTEA').replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
