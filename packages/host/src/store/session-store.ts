import { decodedOf, encodeName, encodeText, numberOf } from './internal/columns.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Conversations of agents, as texts that are only ever appended: their content is the agent's business. */
export interface SessionStore {
  /** What was appended, in order. Undefined for an unknown session. */
  read(sessionId: string): Promise<readonly string[] | undefined>;
  /** Appends all of the records or none. Appending nothing does not create a session. */
  append(sessionId: string, records: readonly string[]): Promise<void>;
  /** `false` when there is no such session. */
  delete(sessionId: string): Promise<boolean>;
}

export function createSessionStore({ sql, now }: StoreContext): SessionStore {
  return {
    async read(sessionId) {
      const rows = await sql.all('SELECT record FROM agent_session_records WHERE session_id = ? ORDER BY position', [
        encodeId(sessionId),
      ]);
      return rows.length === 0 ? undefined : rows.map((row) => decodedOf(row, 'record'));
    },

    async append(sessionId, records) {
      if (records.length === 0) return;
      const id = encodeId(sessionId);
      await sql.transaction(async (statements) => {
        // This locks the session's row, so that appenders queue up and no two get the same positions.
        const [row] = await statements.all(
          `INSERT INTO agent_sessions (id, record_count, created_at, updated_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET record_count = agent_sessions.record_count + excluded.record_count,
             updated_at = excluded.updated_at
           RETURNING record_count`,
          [id, records.length, now(), now()],
        );
        const before = (row === undefined ? 0 : numberOf(row, 'record_count')) - records.length;
        const rows = records.map((record, at) => ({
          ...{ session_id: id, position: before + at + 1, record: encodeText(record) },
        }));
        await insertRows(statements, 'agent_session_records', rows);
      });
    },

    delete: (sessionId) =>
      sql.transaction(async (statements) => {
        const id = encodeId(sessionId);
        await statements.run('DELETE FROM agent_session_records WHERE session_id = ?', [id]);
        return (await statements.run('DELETE FROM agent_sessions WHERE id = ?', [id])) > 0;
      }),
  };
}

function encodeId(sessionId: string): string {
  return encodeName(sessionId, 'id of a session');
}
