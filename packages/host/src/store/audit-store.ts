import { defined } from '@quartermaster/core/internal';
import { decodedOf, encodeGiven, encodeText, numberOf, optionalDecodedOf, textOf } from './internal/columns.ts';
import { type Condition, insertRows, type Row, type Statements, where } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Who changed what. Entries are only ever added, in the transaction of the change itself, and deleted when they expire. */
export interface AuditStore {
  /** The newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Records a change that is stored elsewhere. Changes in the store are recorded with the change. */
  note(entry: NewAuditEntry): Promise<void>;
  /** Deletes expired entries. */
  sweep(): Promise<void>;
}

/** Which entries to list; all given filters must match. */
export interface AuditQuery {
  /** At most 10,000. */
  readonly limit: number;
  /** Only entries after this one in the list, which are older. None if it has been deleted. */
  readonly afterId?: string;
  /** The id or the name of a key; `''` for changes that no key made. */
  readonly actor?: string;
  /** One of `AUDIT_ACTIONS`, or the part before its dot. */
  readonly action?: string;
  /** What was changed; a key by its id or its name. */
  readonly subject?: string;
  /** Milliseconds since 1970: not before, and before. */
  readonly from?: number;
  readonly until?: number;
}

/** One change, as recorded. */
export interface NewAuditEntry {
  /** An API key's id, `configured:NAME` for a key of the settings, or `''` for a program with access to the store itself. */
  readonly actor: string;
  readonly action: AuditAction;
  /** The name of a catalog, the id of a key or a tool, or `server NAME`. */
  readonly subject: string;
  /** Its new state, in a few words; never a secret. */
  readonly detail: string;
}

/** One change. */
export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the key that made the change. */
  readonly actorName?: string;
  /** The name of the key that was changed. */
  readonly subjectName?: string;
}

/** What an entry of the audit log can record. */
export const AUDIT_ACTIONS = [
  'catalog.create',
  'catalog.replace',
  'catalog.delete',
  'catalog.owner',
  'case.put',
  'case.delete',
  'key.create',
  'key.update',
  'key.rotate',
  'key.revoke',
  'policy.change',
  'definition.accept',
  'learned.forget',
] as const;

/** The kind of a recorded change, such as `key.rotate`. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const MOST_LISTED = 10_000;
const DAY_MS = 86_400_000;

/** How long entries are kept by default. */
export const AUDIT_DAYS = 365;

export function createAuditStore(context: StoreContext, days: number): AuditStore {
  const { sql, now } = context;
  return {
    note: (entry) => noteChange(sql, context, entry),
    async list({ limit, afterId, actor, action, subject, from, until }) {
      const [last] =
        afterId === undefined ? [] : await sql.all('SELECT at, id FROM audit_log WHERE id = ?', [encodeText(afterId)]);
      if (afterId !== undefined && last === undefined) return [];
      const [at, id] = last === undefined ? [] : [numberOf(last, 'at'), textOf(last, 'id')];
      const wanted = where(
        byKey('actor', actor),
        byKey('subject', subject),
        ['(log.action = ? OR substr(log.action, 1, ?) = ?)', action, (action?.length ?? 0) + 1, `${action}.`],
        ['log.at >= ?', from],
        ['log.at < ?', until],
        ['(log.at < ? OR (log.at = ? AND log.id < ?))', at, at, id],
      );
      const rows = await sql.all(
        `SELECT log.*, actors.name AS actor_name, subjects.name AS subject_name FROM audit_log log
           LEFT JOIN api_keys actors ON actors.id = log.actor
           LEFT JOIN api_keys subjects ON subjects.id = log.subject
             AND log.action NOT LIKE 'catalog.%' AND log.action NOT LIKE 'case.%'
         ${wanted.text} ORDER BY log.at DESC, log.id DESC LIMIT ?`,
        [...wanted.values, Math.min(Math.max(Math.trunc(limit), 1), MOST_LISTED)],
      );
      return rows.map(readEntry);
    },
    async sweep() {
      await sql.run('DELETE FROM audit_log WHERE at < ?', [now() - days * DAY_MS]);
    },
  };
}

/** Records a change in its own transaction: either both are there, or neither. */
export async function noteChange(
  statements: Statements,
  { now, createId }: Pick<StoreContext, 'now' | 'createId'>,
  { actor, action, subject, detail }: NewAuditEntry,
): Promise<void> {
  const texts = { actor: encodeText(actor), action, subject: encodeText(subject), detail: encodeText(detail) };
  await insertRows(statements, 'audit_log', [{ id: createId('audit_'), at: now(), ...texts }]);
}

/** A key by its id, also one of the settings, or by its name. */
function byKey(column: 'actor' | 'subject', key: string | undefined): Condition {
  const text = `(log.${column} IN (?, ?) OR log.${column} IN (SELECT id FROM api_keys WHERE name = ?))`;
  return [text, encodeGiven(key), encodeText(`${CONFIGURED}${key}`), encodeGiven(key)];
}

function readEntry(row: Row): AuditEntry {
  const actor = decodedOf(row, 'actor');
  const isConfigured = actor.startsWith(CONFIGURED);
  const actorName = isConfigured ? actor.slice(CONFIGURED.length) : optionalDecodedOf(row, 'actor_name');
  return {
    id: textOf(row, 'id'),
    at: numberOf(row, 'at'),
    actor,
    action: textOf(row, 'action') as AuditAction,
    subject: decodedOf(row, 'subject'),
    detail: decodedOf(row, 'detail'),
    ...defined({ actorName, subjectName: optionalDecodedOf(row, 'subject_name') }),
  };
}

/** How the id of a key of the settings begins. */
const CONFIGURED = 'configured:';
