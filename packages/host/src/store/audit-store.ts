import { decodeText, encodeText, numberOf, textOf } from './internal/columns.ts';
import type { Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Who changed what. Entries are only ever added, in the transaction of the change itself. */
export interface AuditStore {
  /** The newest first, at most `limit` of them. */
  list(query: { readonly limit: number }): Promise<readonly AuditEntry[]>;
  /** Notes a change that is kept elsewhere. What the store keeps itself is noted with the change. */
  note(entry: Omit<AuditEntry, 'at'>): Promise<void>;
}

/** One change to a catalog or a key. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** An API key's id, `configured:NAME` for a key of the settings, or `''` for a program with access to the store itself. */
  readonly actor: string;
  readonly action: AuditAction;
  /** The name of a catalog, the id of a key or a tool, or `server NAME`. */
  readonly subject: string;
  /** What it is now, in a few words; never a secret. */
  readonly detail: string;
}

/** What an entry of the audit log can record. */
export type AuditAction =
  | 'catalog.create'
  | 'catalog.replace'
  | 'catalog.delete'
  | 'key.create'
  | 'key.update'
  | 'key.rotate'
  | 'key.revoke'
  | 'policy.change'
  | 'definition.accept';

const MOST_LISTED = 10_000;

export function createAuditStore(context: StoreContext): AuditStore {
  const { sql } = context;
  return {
    note: (entry) => noteChange(sql, context, entry),
    async list({ limit }) {
      const most = Math.min(Math.max(Math.trunc(limit), 1), MOST_LISTED);
      const rows = await sql.all('SELECT * FROM audit_log ORDER BY at DESC, id DESC LIMIT ?', [most]);
      return rows.map((row) => ({
        at: numberOf(row, 'at'),
        actor: decodeText(textOf(row, 'actor')),
        action: textOf(row, 'action') as AuditAction,
        subject: decodeText(textOf(row, 'subject')),
        detail: decodeText(textOf(row, 'detail')),
      }));
    },
  };
}

/** Notes a change among its own statements: either both are there, or neither. */
export async function noteChange(
  statements: Statements,
  { now, createId }: Pick<StoreContext, 'now' | 'createId'>,
  entry: Omit<AuditEntry, 'at'>,
): Promise<void> {
  await statements.run('INSERT INTO audit_log (id, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)', [
    ...[createId('audit_'), now(), encodeText(entry.actor)],
    ...[entry.action, encodeText(entry.subject), encodeText(entry.detail)],
  ]);
}
