import { Pool, type PoolClient, types } from 'pg';
import { StoreError } from '../store-error.ts';
import type { Row, Sql, SqlValue, Statements } from './sql.ts';

/** Connections of one replica; ten replicas stay below a server's usual hundred. */
const MOST_CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 10_000;

/** How often a transaction is run again after a conflict. */
const MOST_RETRIES = 5;

/** `serialization_failure` and `deadlock_detected`: the server undid one side so that the other could go on. */
const CONFLICTS = new Set(['40001', '40P01']);

const INT8 = 20;

export function openPostgres(url: string): Sql {
  const pool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'quartermaster',
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => undefined);

  async function attempt<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    const client = await connect(pool);
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(statementsOn(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    ...statementsOn({ query: async (text, values) => withClient(pool, (client) => client.query(text, values)) }),
    async transaction(work) {
      for (let retry = 0; ; retry += 1) {
        try {
          return await attempt(work);
        } catch (error) {
          if (retry >= MOST_RETRIES || !isConflict(error)) throw error;
        }
      }
    },
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

interface Queryable {
  query(text: string, values: SqlValue[]): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
}

function statementsOn(client: Queryable): Statements {
  return {
    dialect: 'postgres',
    all: async (text, values = []) => (await client.query(numbered(text), [...values])).rows,
    run: async (text, values = []) => (await client.query(numbered(text), [...values])).rowCount ?? 0,
  };
}

async function withClient<Result>(pool: Pool, use: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await connect(pool);
  try {
    return await use(client);
  } finally {
    client.release();
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('unreachable', `PostgreSQL can't be reached: ${reason}; check the store's url`, { cause });
  }
}

/** `?` as PostgreSQL's `$1`, `$2`, … */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(String(error.code));
}

/** Times and counts are 64-bit; all of ours are safe integers. */
const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;
