import { createHash, randomBytes } from 'node:crypto';
import { decodeText, encodeName, numberOf, optionalNumberOf, textOf } from './internal/columns.ts';
import type { Row } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** The gateway's API keys. Only their hashes are kept: a secret is shown once, when it is made. */
export interface KeyStore {
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Whose secret this is, revoked or not. */
  find(secret: string): Promise<ApiKey | undefined>;
  /** The key of this id, revoked or not. */
  get(id: string): Promise<ApiKey | undefined>;
  /** All of them, the oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** From now on refused, by every replica. `false` when there is no such key, or it was revoked before. */
  revoke(id: string): Promise<boolean>;
}

export interface NewApiKey extends KeyPermissions {
  /** For people to tell keys apart. */
  readonly name: string;
}

export interface KeyPermissions {
  /** Models that it may use, `*` standing for any text. */
  readonly models: readonly string[];
  /** Named catalogs that it may use, in the same way. */
  readonly catalogs: readonly string[];
  readonly limits: KeyLimits;
  /** Tools of MCP servers that it may use. Without it: all of the servers whose catalogs it may use. */
  readonly tools?: KeyToolRules;
}

/** Patterns such as `github/*`, `*\/delete_*` or `mcp__github__*`. What is denied is denied, whatever is allowed. */
export interface KeyToolRules {
  /** @default everything */
  readonly allow?: readonly string[];
  /** @default nothing */
  readonly deny?: readonly string[];
}

/** What is not given is not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

export interface ApiKey extends NewApiKey {
  readonly id: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly revokedAt?: number;
}

/** The secret's SHA-256 as hexadecimal. Secrets are random, so a plain hash can't be guessed back. */
export function hashApiKey(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

export function createKeyStore({ sql, now, createId }: StoreContext): KeyStore {
  return {
    async create({ name, models, catalogs, limits, tools }) {
      const secret = `qm_${randomBytes(32).toString('base64url')}`;
      const permissions: KeyPermissions = { models, catalogs, limits, ...(tools === undefined ? {} : { tools }) };
      const key: ApiKey = { id: createId('key_'), name, ...permissions, createdAt: now() };
      await sql.run('INSERT INTO api_keys (id, hash, name, permissions, created_at) VALUES (?, ?, ?, ?, ?)', [
        key.id,
        hashApiKey(secret),
        encodeName(name, 'name of a key'),
        JSON.stringify(permissions),
        key.createdAt,
      ]);
      return { key, secret };
    },

    async find(secret) {
      const [row] = await sql.all('SELECT * FROM api_keys WHERE hash = ?', [hashApiKey(secret)]);
      return row === undefined ? undefined : readKey(row);
    },

    async get(id) {
      const [row] = await sql.all('SELECT * FROM api_keys WHERE id = ?', [encodeName(id, 'id of a key')]);
      return row === undefined ? undefined : readKey(row);
    },

    async list() {
      return (await sql.all('SELECT * FROM api_keys ORDER BY created_at, id')).map(readKey);
    },

    async revoke(id) {
      const values = [now(), encodeName(id, 'id of a key')];
      return (await sql.run('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', values)) > 0;
    },
  };
}

function readKey(row: Row): ApiKey {
  const revokedAt = optionalNumberOf(row, 'revoked_at');
  return {
    id: textOf(row, 'id'),
    name: decodeText(textOf(row, 'name')),
    ...(JSON.parse(textOf(row, 'permissions')) as KeyPermissions),
    createdAt: numberOf(row, 'created_at'),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}
