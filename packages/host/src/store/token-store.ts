import { createHash, randomUUID } from 'node:crypto';
import { bytesOf } from './internal/columns.ts';
import type { Seal } from './internal/seal.ts';
import { insertRows } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** OAuth tokens, encrypted: one value per user and server, never shared between users. */
export interface TokenStore {
  /** Stores a value in place of the old one. */
  put(owner: TokenOwner, value: string): Promise<void>;
  get(owner: TokenOwner): Promise<string | undefined>;
  delete(owner: TokenOwner): Promise<void>;
  /**
   * Lets one process at a time renew a stored value. Resolves to a function that ends the claim, which also expires after `leaseMs`; to
   * undefined while another process has it.
   */
  claim(owner: TokenOwner, leaseMs: number): Promise<(() => Promise<void>) | undefined>;
  /** Deletes everything of a user; returns how many values that were. */
  deleteUser(user: string): Promise<number>;
}

/** Whose tokens: a user's at a server. */
export interface TokenOwner {
  /** Empty where there is only one. */
  readonly user: string;
  readonly server: string;
}

/** Rows are found by hashes, so that the file does not show who signed in where. */
export function createTokenStore({ sql, now }: StoreContext, seal: Seal): TokenStore {
  return {
    async put(owner, value) {
      const place = placeOf(owner);
      const row = { place, holder: digest([owner.user]), sealed: seal.close(value, place), updated_at: now() };
      await insertRows(sql, 'sealed_tokens', [row], { key: ['place'], existing: 'replace' });
    },

    async get(owner) {
      const place = placeOf(owner);
      const [row] = await sql.all('SELECT sealed FROM sealed_tokens WHERE place = ?', [place]);
      return row === undefined ? undefined : seal.open(bytesOf(row, 'sealed'), place);
    },

    async delete(owner) {
      await sql.run('DELETE FROM sealed_tokens WHERE place = ?', [placeOf(owner)]);
    },

    async claim(owner, leaseMs) {
      const [place, holder, at] = [placeOf(owner), randomUUID(), now()];
      const taken = await sql.run(
        `INSERT INTO token_claims (place, holder, ends_at) VALUES (?, ?, ?)
         ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
         WHERE token_claims.ends_at <= ?`,
        [place, holder, at + leaseMs, at],
      );
      if (taken === 0) return undefined;
      return async () => {
        await sql.run('DELETE FROM token_claims WHERE place = ? AND holder = ?', [place, holder]);
      };
    },

    deleteUser: (user) => sql.run('DELETE FROM sealed_tokens WHERE holder = ?', [digest([user])]),
  };
}

function placeOf({ user, server }: TokenOwner): string {
  return digest([user, server]);
}

/** JSON keeps the parts apart: `["a","bc"]` is not `["ab","c"]`. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
