import { Socket } from 'node:net';
import { defined } from '@quartermaster/core/internal';
import { Pool, type PoolClient, type QueryResult, types } from 'pg';
import { createAwayGuard } from './away-guard.ts';
import { explainFault, isConflict, isConnectionLost, isUndone } from './database-fault.ts';
import { postgresPresence } from './postgres-presence.ts';
import type { Row, Sql, SqlValue, Statements, TransactionOptions } from './sql.ts';

/** How long PostgreSQL may take before callers get `unavailable`. */
export interface PostgresTimeouts {
  /** To connect, and to wait for a free connection, in milliseconds. */
  readonly connectMs: number;
  /** For one statement. The server ends it a little earlier inside transactions, so that no lock outlives its caller. */
  readonly statementMs: number;
}

const POSTGRES_TIMEOUTS: PostgresTimeouts = { connectMs: 3_000, statementMs: 10_000 };

/** Connections of one replica; ten replicas stay below a server's usual hundred. */
const MOST_CONNECTIONS = 8;

/** How often work is repeated after a conflict with another replica, or after a lost connection. */
const MOST_RETRIES = 5;

const INT8 = 20;

export function openPostgres(url: string, timeouts: PostgresTimeouts = POSTGRES_TIMEOUTS): Sql {
  const { connectMs, statementMs } = timeouts;
  const sockets = new Set<Socket>();
  const pool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    application_name: 'quartermaster',
    keepAlive: true,
    types: { getTypeParser },
    stream: () => tracked(sockets),
  });
  // A broken connection is replaced on the next use. Without listeners its error would end the process: the pool has one
  // only for idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const guard = createAwayGuard({
    now: () => performance.now(),
    isAway: (error) => error instanceof Error && isConnectionLost(error.cause),
  });

  /** Uses a connection for some work. A lost one does not go back to the pool. */
  async function withClient<Result>(use: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect();
    let lost = false;
    try {
      return await use(client);
    } catch (error) {
      lost = isConnectionLost(error);
      throw error;
    } finally {
      client.release(lost);
    }
  }

  /** Retries work that can't be applied twice, and translates errors of the database. */
  function run<Result>(work: () => Promise<Result>, mayRepeat: (error: unknown) => boolean): Promise<Result> {
    return guard(async () => {
      for (let retry = 0; ; retry += 1) {
        try {
          return await work();
        } catch (error) {
          if (retry >= MOST_RETRIES || !mayRepeat(error)) throw explainFault(error, 'PostgreSQL');
        }
      }
    });
  }

  function query(text: string, values: SqlValue[]): Promise<QueryResult<Row>> {
    const isRead = /^\s*SELECT\b/i.test(text);
    return run(
      () => withClient((client) => ask(client, { text, values, timeoutMs: statementMs })),
      (error) => isUndone(error) || (isRead && isReset(error)),
    );
  }

  const presence = postgresPresence(url, connectMs);
  return {
    ...statementsOn(query),
    presence,
    transaction(work, { isUnhurried = false }: TransactionOptions = {}) {
      const timeoutMs = isUnhurried ? undefined : statementMs;
      let isCommitting = false;
      const attempt = (client: PoolClient) => async () => {
        isCommitting = false;
        await ask(client, { text: isUnhurried ? 'BEGIN' : beginWithin(statementMs), timeoutMs });
        const result = await work(statementsOn((text, values) => ask(client, { text, values, timeoutMs })));
        isCommitting = true;
        await ask(client, { text: 'COMMIT', timeoutMs });
        return result;
      };
      return run(
        () => withClient((client) => undoing(client, attempt(client), statementMs)),
        (error) => isConflict(error) || (!isCommitting && (isUndone(error) || isReset(error))),
      );
    },
    async close() {
      if (pool.ending) return;
      await presence.close();
      await pool.end();
      // A frozen server never closes its side, and its sockets would keep the process alive.
      for (const socket of sockets) if (!socket.destroyed) socket.setTimeout(connectMs, () => socket.destroy()).unref();
    },
  };
}

/** A socket that is tracked for as long as it lives. */
function tracked(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  return socket.once('close', () => sockets.delete(socket));
}

/** Rolls back a failed transaction, so that the next user of the connection does not continue it. */
async function undoing<Result>(client: PoolClient, attempt: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!isConnectionLost(error)) await ask(client, { text: 'ROLLBACK', timeoutMs });
    throw error;
  }
}

/** One round trip. The settings end with the transaction, so that a pooler in between may share its connections. */
function beginWithin(statementMs: number): string {
  const most = Math.ceil(statementMs * 0.8);
  return `BEGIN; SET LOCAL statement_timeout = ${most}; SET LOCAL idle_in_transaction_session_timeout = ${2 * statementMs}`;
}

interface Question {
  readonly text: string;
  readonly values?: SqlValue[];
  readonly timeoutMs: number | undefined;
}

function ask(client: PoolClient, { text, values, timeoutMs }: Question): Promise<QueryResult<Row>> {
  const question = { text, ...defined({ values }) };
  // The types don't know that a single query may have its own timeout.
  return client.query(timeoutMs === undefined ? question : Object.assign(question, { query_timeout: timeoutMs }));
}

/** The connection was lost, but the server did not report the outcome of the statement. After a timeout a second try would only wait again. */
function isReset(error: unknown): boolean {
  return isConnectionLost(error) && error instanceof Error && !/timeout/i.test(error.message);
}

function statementsOn(query: (text: string, values: SqlValue[]) => Promise<QueryResult<Row>>): Statements {
  return {
    dialect: 'postgres',
    all: async (text, values = []) => (await query(numbered(text), [...values])).rows,
    run: async (text, values = []) => (await query(numbered(text), [...values])).rowCount ?? 0,
  };
}

/** `?` as PostgreSQL's `$1`, `$2`, … */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}

/** Times and counts are 64-bit; all of ours are safe integers. */
const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;
