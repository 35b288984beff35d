import { PGlite, type Transaction } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { Row, Sql, SqlValue, Statements } from '../internal/sql.ts';

/** PostgreSQL with pgvector in the process, for tests; one connection. */
export async function openPglite(): Promise<Sql> {
  const database = await PGlite.create({ extensions: { vector } });
  const statementsOn = (on: PGlite | Transaction): Statements => ({
    dialect: 'postgres',
    all: async (text, values = []) => (await ask(on, text, values)).rows.map(withNumbers),
    run: async (text, values = []) => (await ask(on, text, values)).affectedRows ?? 0,
  });
  return {
    ...statementsOn(database),
    transaction: (work) => database.transaction((on) => work(statementsOn(on))),
    presence: { enlist: async () => undefined, close: async () => undefined },
    close: () => database.close(),
  };
}

function ask(on: PGlite | Transaction, text: string, values: readonly SqlValue[]) {
  let count = 0;
  const numbered = text.replaceAll('?', () => `$${++count}`);
  return on.query<Row>(numbered, [...values]);
}

/** As the other driver gives them. */
function withNumbers(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value]),
  );
}
