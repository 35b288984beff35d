import { createHash, randomBytes } from 'node:crypto';
import { defined, hasInvisible } from '@quartermaster/core/internal';
import { noteChange } from './audit-store.ts';
import { decodedOf, encodeName, numberOf, optionalNumberOf, textOf } from './internal/columns.ts';
import { insertRows, lockRows, type Row, type Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';
import { StoreError } from './store-error.ts';

/**
 * The gateway's API keys. Only their hashes are stored: a secret is shown once, when it is created. `by` is the key that makes a change,
 * for the audit log: `''`, the default, means a program with access to the store itself.
 */
export interface KeyStore {
  /** Rejects a name that a key already has, unless that key was revoked. */
  create(key: NewApiKey, by?: string): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Changes a key's permissions or its expiry. `undefined` if there is no such key, or it was revoked. */
  update(id: string, change: KeyChange, by?: string): Promise<ApiKey | undefined>;
  /** A new secret for the same key. No earlier secret works longer than the overlap. `undefined` as for `update`. */
  rotate(
    id: string,
    overlapMs: number,
    by?: string,
  ): Promise<{ readonly key: ApiKey; readonly secret: string } | undefined>;
  /** Records that a key was used now. */
  touch(id: string): Promise<void>;
  /** The key with this secret, even if revoked or expired; a rotated secret belongs to no key once the overlap is over. */
  find(secret: string): Promise<ApiKey | undefined>;
  /** The key with this id, even if revoked. */
  get(id: string): Promise<ApiKey | undefined>;
  /** All of them, the oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Rejected from now on by every replica. `false` if there is no such key, or it is already revoked. */
  revoke(id: string, by?: string): Promise<boolean>;
  /** Deletes secrets that no longer work. */
  sweep(): Promise<void>;
}

/** A key to be created. */
export interface NewApiKey extends KeyPermissions {
  /** A human-readable name. */
  readonly name: string;
  /** When it expires, in milliseconds since 1970. @default never */
  readonly expiresAt?: number;
}

/** What can be changed about a key. Each field replaces the old value; `null` removes it. */
export interface KeyChange extends Partial<Omit<KeyPermissions, 'tools' | 'endpoints'>> {
  /** `null`: all tools of its catalogs. */
  readonly tools?: KeyToolRules | null;
  /** `null`: all endpoints. */
  readonly endpoints?: readonly string[] | null;
  /** `null`: it never expires. */
  readonly expiresAt?: number | null;
}

/**
 * What a key may change. `consumer`: nothing. `publisher`: create catalogs, and change its own. `admin`: change any catalog
 * that it may use; one without restrictions also manages keys and sees what all keys do.
 */
export type KeyRole = 'consumer' | 'publisher' | 'admin';

/** All roles that a key can have. */
export const KEY_ROLES: readonly KeyRole[] = ['consumer', 'publisher', 'admin'];

/** The parts of the gateway that a key can be restricted to. */
export const KEY_ENDPOINTS: readonly string[] = [
  ...['messages', 'chat_completions', 'responses', 'count_tokens', 'models', 'host'],
  ...['batches', 'catalogs', 'search', 'mcp', 'servers', 'keys', 'insight', 'metrics'],
];

/** What a key may use. */
export interface KeyPermissions {
  /** Models that it may use; `*` matches any text. */
  readonly models: readonly string[];
  /** Named catalogs that it may use, in the same way. */
  readonly catalogs: readonly string[];
  readonly limits: KeyLimits;
  /** Catalogs of other keys that it may replace and label, whatever its role, but not delete. @default none */
  readonly writes?: readonly string[];
  /** Tools of MCP servers that it may use. Without it: all tools of the servers whose catalogs it may use. */
  readonly tools?: KeyToolRules;
  /** @default consumer */
  readonly role?: KeyRole;
  /** Of `KEY_ENDPOINTS`. @default all */
  readonly endpoints?: readonly string[];
}

/** Patterns such as `github/*`, `*\/delete_*` or `mcp__github__*`. `deny` overrides `allow`. */
export interface KeyToolRules {
  /** @default everything */
  readonly allow?: readonly string[];
  /** @default nothing */
  readonly deny?: readonly string[];
}

/** Missing fields are not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Each query counts as one, whether it comes from a model, an MCP client or a request to `/v1/search`. */
  readonly searchesPerMinute?: number;
  /** Per day (UTC). */
  readonly tokensPerDay?: number;
  /** Per calendar month (UTC). */
  readonly tokensPerMonth?: number;
}

/** An API key as it is stored, without its secret. */
export interface ApiKey extends NewApiKey {
  readonly id: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly revokedAt?: number;
  /** To the minute, or undefined if it never was. */
  readonly lastUsedAt?: number;
}

/** The secret's SHA-256 as hexadecimal. Secrets are random, so a plain hash can't be guessed back. */
export function hashApiKey(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

export function createKeyStore(context: StoreContext): KeyStore {
  const { sql, now, createId } = context;

  async function lockKey(statements: Statements, id: string): Promise<ApiKey | undefined> {
    const [row] = await statements.all(
      `SELECT * FROM api_keys WHERE id = ? AND revoked_at IS NULL ${lockRows(statements.dialect)}`,
      [encodeName(id, 'id of a key')],
    );
    return row === undefined ? undefined : readKey(row);
  }

  return {
    create: ({ name: given, expiresAt, ...permissions }, by = '') =>
      sql.transaction(async (statements) => {
        const name = readKeyName(given);
        const secret = createSecret();
        const key: ApiKey = {
          ...{ id: createId('key_'), name, ...permissions, createdAt: now() },
          ...defined({ expiresAt }),
        };
        const stored = encodeName(name, 'name of a key');
        // Two that create the same name at the same moment queue up.
        if (statements.dialect === 'postgres') {
          await statements.run('LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE');
        }
        const [same] = await statements.all('SELECT id FROM api_keys WHERE name = ? AND revoked_at IS NULL', [stored]);
        if (same !== undefined) {
          throw new StoreError(
            'invalid_value',
            `There is a key named ${JSON.stringify(name)} already (${textOf(same, 'id')}); rotate or revoke it, or choose another name`,
          );
        }
        const times = { created_at: key.createdAt, expires_at: expiresAt ?? null };
        const written = JSON.stringify(permissionsOf(permissions));
        await insertRows(statements, 'api_keys', [
          { id: key.id, hash: hashApiKey(secret), name: stored, permissions: written, ...times },
        ]);
        const rights = describeRights({ role: 'consumer', ...permissions, ...defined({ expiresAt }) });
        const detail = `${name}; ${rights}`;
        await noteChange(statements, context, { actor: by, action: 'key.create', subject: key.id, detail });
        return { key, secret };
      }),

    update: (id, change, by = '') =>
      sql.transaction(async (statements) => {
        const key = await lockKey(statements, id);
        if (key === undefined) return undefined;
        const { expiresAt = key.expiresAt ?? null } = change;
        const permissions = permissionsOf({ ...key, ...defined({ ...change }) });
        await statements.run('UPDATE api_keys SET permissions = ?, expires_at = ? WHERE id = ?', [
          ...[JSON.stringify(permissions), expiresAt, id],
        ]);
        const detail = describeRights(change);
        await noteChange(statements, context, { actor: by, action: 'key.update', subject: id, detail });
        const { name, createdAt, lastUsedAt } = key;
        return {
          ...{ id, name, ...permissions, createdAt },
          ...defined({ lastUsedAt, expiresAt: expiresAt ?? undefined }),
        };
      }),

    rotate: (id, overlapMs, by = '') =>
      sql.transaction(async (statements) => {
        const key = await lockKey(statements, id);
        if (key === undefined) return undefined;
        const secret = createSecret();
        const until = now() + overlapMs;
        // Earlier secrets end when they were going to, or with the overlap: after a rotation without one, only the new secret works.
        await statements.run('UPDATE api_key_secrets SET works_until = ? WHERE key_id = ? AND works_until > ?', [
          ...[until, id, until],
        ]);
        await statements.run(
          'INSERT INTO api_key_secrets (hash, key_id, works_until) SELECT hash, id, ? FROM api_keys WHERE id = ?',
          [until, id],
        );
        await statements.run('UPDATE api_keys SET hash = ? WHERE id = ?', [hashApiKey(secret), id]);
        const detail = `the previous secret works until ${new Date(until).toISOString()}`;
        await noteChange(statements, context, { actor: by, action: 'key.rotate', subject: id, detail });
        return { key, secret };
      }),

    async touch(id) {
      await sql.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', [now(), encodeName(id, 'id of a key')]);
    },

    async find(secret) {
      const hash = hashApiKey(secret);
      const [row] = await sql.all(
        `SELECT * FROM api_keys WHERE hash = ?
           OR id = (SELECT key_id FROM api_key_secrets WHERE hash = ? AND works_until > ?)`,
        [hash, hash, now()],
      );
      return row === undefined ? undefined : readKey(row);
    },

    async get(id) {
      const [row] = await sql.all('SELECT * FROM api_keys WHERE id = ?', [encodeName(id, 'id of a key')]);
      return row === undefined ? undefined : readKey(row);
    },

    async list() {
      return (await sql.all('SELECT * FROM api_keys ORDER BY created_at, id')).map(readKey);
    },

    revoke: (id, by = '') =>
      sql.transaction(async (statements) => {
        const values = [now(), encodeName(id, 'id of a key')];
        const changed = await statements.run(
          'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
          values,
        );
        if (changed === 0) return false;
        await noteChange(statements, context, { actor: by, action: 'key.revoke', subject: id, detail: '' });
        return true;
      }),

    async sweep() {
      await sql.run('DELETE FROM api_key_secrets WHERE works_until <= ?', [now()]);
    },
  };
}

/** Permissions for the audit log: those that are given, in a fixed order. */
function describeRights(rights: KeyChange): string {
  return RIGHTS.flatMap((name) => {
    const value = rights[name];
    if (value === undefined) return [];
    if (name === 'expiresAt')
      return [value === null ? 'never expires' : `expires ${new Date(Number(value)).toISOString()}`];
    return [`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  }).join('; ');
}

const RIGHTS = ['role', 'models', 'catalogs', 'writes', 'tools', 'endpoints', 'limits', 'expiresAt'] as const;

/** A key's name as stored: names that look the same are the same. */
export function normalizeKeyName(name: string): string {
  return name.normalize('NFC').trim();
}

/** People know a key by its name: two that look alike must not be two keys. */
function readKeyName(given: string): string {
  const name = normalizeKeyName(given);
  if (!/[\p{Cc}\p{Surrogate}]/u.test(name) && !hasInvisible(name)) return name;
  throw new StoreError('invalid_value', 'The name of a key contains control or invisible characters; leave them out');
}

function createSecret(): string {
  return `qm_${randomBytes(32).toString('base64url')}`;
}

/** What is stored as JSON: everything without its own column. */
function permissionsOf({
  models,
  catalogs,
  limits,
  writes,
  tools,
  role,
  endpoints,
}: Omit<KeyPermissions, 'tools' | 'endpoints'> & Pick<KeyChange, 'tools' | 'endpoints'>): KeyPermissions {
  return {
    ...{ models, catalogs, limits },
    ...defined({ writes, role, tools: tools ?? undefined, endpoints: endpoints ?? undefined }),
  };
}

function readKey(row: Row): ApiKey {
  const [revokedAt, expiresAt, lastUsedAt] = ['revoked_at', 'expires_at', 'last_used_at'].map((column) =>
    optionalNumberOf(row, column),
  );
  return {
    id: textOf(row, 'id'),
    name: decodedOf(row, 'name'),
    ...permissionsOf(JSON.parse(textOf(row, 'permissions')) as KeyPermissions),
    createdAt: numberOf(row, 'created_at'),
    ...defined({ revokedAt, expiresAt, lastUsedAt }),
  };
}
