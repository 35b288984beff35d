import { decodedOf, encodeName, encodeText } from './internal/columns.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Which key created which task at an MCP server: clients share connections, and a server knows only the connections. */
export interface TaskOwnerStore {
  put(task: TaskPlace, owner: string): Promise<void>;
  isOwner(task: TaskPlace, owner: string): Promise<boolean>;
  /** The tasks of one owner at a server. */
  list(server: string, owner: string): Promise<ReadonlySet<string>>;
  /** Deletes tasks that were created long ago. */
  sweep(): Promise<void>;
}

/** A task by its server's id. */
export interface TaskPlace {
  readonly server: string;
  readonly task: string;
}

/** Longer than servers keep tasks. */
const KEPT_MS = 30 * 86_400_000;

export function createTaskOwnerStore({ sql, now }: StoreContext): TaskOwnerStore {
  return {
    async put({ server, task }, owner) {
      const place = { server: encodeName(server, 'name of an MCP server'), task: encodeName(task, 'id of a task') };
      const row = { ...place, owner: encodeText(owner), forgotten_at: now() + KEPT_MS };
      await insertRows(sql, 'mcp_tasks', [row], { key: ['server', 'task'], existing: 'replace' });
    },
    async isOwner({ server, task }, owner) {
      const place = [encodeText(server), encodeText(task), encodeText(owner)];
      const rows = await sql.all('SELECT 1 AS known FROM mcp_tasks WHERE server = ? AND task = ? AND owner = ?', place);
      return rows.length > 0;
    },
    async list(server, owner) {
      const rows = await sql.all('SELECT task FROM mcp_tasks WHERE server = ? AND owner = ?', [
        ...[encodeText(server), encodeText(owner)],
      ]);
      return new Set(rows.map((row) => decodedOf(row, 'task')));
    },
    async sweep() {
      await sql.run('DELETE FROM mcp_tasks WHERE forgotten_at <= ?', [now()]);
    },
  };
}
