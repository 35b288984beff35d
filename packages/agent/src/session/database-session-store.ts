import type { SessionStore as DatabaseSessions } from '@quartermaster/host/store';
import { readRecord, type SessionStore } from './session-store.ts';

/** Keeps sessions in Quartermaster's store: SQLite, or PostgreSQL, where any replica can resume them. */
export function createDatabaseSessionStore(sessions: Pick<DatabaseSessions, 'read' | 'append'>): SessionStore {
  return {
    async read(id) {
      return (await sessions.read(id))?.flatMap(readRecord);
    },
    append: (id, records) =>
      sessions.append(
        id,
        records.map((record) => JSON.stringify(record)),
      ),
  };
}
