import { defined } from '@quartermaster/core/internal';
import { decodeText, encodeText, numberOf, textOf } from './internal/columns.ts';
import type { Row, SqlValue, Statements } from './internal/sql.ts';
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
    async list({ limit, afterId, ...wanted }) {
      const [last] =
        afterId === undefined ? [] : await sql.all('SELECT at, id FROM audit_log WHERE id = ?', [encodeText(afterId)]);
      if (afterId !== undefined && last === undefined) return [];
      const conditions = [
        ...conditionsOf(wanted),
        ...(last === undefined
          ? []
          : [
              {
                text: '(log.at < ? OR (log.at = ? AND log.id < ?))',
                values: [numberOf(last, 'at'), numberOf(last, 'at'), textOf(last, 'id')],
              },
            ]),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`;
      const rows = await sql.all(
        `SELECT log.*, actors.name AS actor_name, subjects.name AS subject_name FROM audit_log log
           LEFT JOIN api_keys actors ON actors.id = log.actor
           LEFT JOIN api_keys subjects ON subjects.id = log.subject
             AND log.action NOT LIKE 'catalog.%' AND log.action NOT LIKE 'case.%'
         ${where} ORDER BY log.at DESC, log.id DESC LIMIT ?`,
        [...conditions.flatMap(({ values }) => values), Math.min(Math.max(Math.trunc(limit), 1), MOST_LISTED)],
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
  entry: NewAuditEntry,
): Promise<void> {
  await statements.run('INSERT INTO audit_log (id, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)', [
    ...[createId('audit_'), now(), encodeText(entry.actor)],
    ...[entry.action, encodeText(entry.subject), encodeText(entry.detail)],
  ]);
}

interface Condition {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

function conditionsOf({ actor, action, subject, from, until }: Omit<AuditQuery, 'limit' | 'afterId'>): Condition[] {
  const byKey = (column: string, key: string): Condition => ({
    text: `(log.${column} IN (?, ?) OR log.${column} IN (SELECT id FROM api_keys WHERE name = ?))`,
    values: [encodeText(key), encodeText(`${CONFIGURED}${key}`), encodeText(key)],
  });
  return [
    ...(actor === undefined ? [] : [byKey('actor', actor)]),
    ...(subject === undefined ? [] : [byKey('subject', subject)]),
    ...(action === undefined
      ? []
      : [
          {
            text: '(log.action = ? OR substr(log.action, 1, ?) = ?)',
            values: [action, action.length + 1, `${action}.`],
          },
        ]),
    ...(from === undefined ? [] : [{ text: 'log.at >= ?', values: [from] }]),
    ...(until === undefined ? [] : [{ text: 'log.at < ?', values: [until] }]),
  ];
}

function readEntry(row: Row): AuditEntry {
  const actor = decodeText(textOf(row, 'actor'));
  const actorName = actor.startsWith(CONFIGURED) ? actor.slice(CONFIGURED.length) : nameIn(row, 'actor_name');
  return {
    id: textOf(row, 'id'),
    at: numberOf(row, 'at'),
    actor,
    action: textOf(row, 'action') as AuditAction,
    subject: decodeText(textOf(row, 'subject')),
    detail: decodeText(textOf(row, 'detail')),
    ...defined({ actorName, subjectName: nameIn(row, 'subject_name') }),
  };
}

function nameIn(row: Row, column: string): string | undefined {
  const name = row[column];
  return typeof name === 'string' ? decodeText(name) : undefined;
}

/** How the id of a key of the settings begins. */
const CONFIGURED = 'configured:';
