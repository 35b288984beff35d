import type { JsonObject } from '@quartermaster/core/catalog';
import { encodeName, textOf } from './internal/columns.ts';
import { insertRows, type Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** The latest listings of MCP servers, so that a server can be searched before it is started. */
export interface ListingStore {
  /** The key is made of a server's settings, without secrets. */
  get(key: string): Promise<StoredListing | undefined>;
  put(key: string, listing: StoredListing): Promise<void>;
  /** Deletes a server, and its tools unless another server has the same. */
  delete(key: string): Promise<void>;
}

/** The latest listing of an MCP server. */
export interface StoredListing {
  /** SHA-256 over the definitions in hexadecimal: equal hashes mean equal tools. */
  readonly hash: string;
  /** The definitions of `tools/list`, as received. */
  readonly tools: readonly JsonObject[];
  /** The server's capabilities, as received. */
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  /** Where the server's list was cut off, if it was: `after 100 pages`. */
  readonly stopped?: string;
  /** How many of the tools can't be used, and the reason for one of them: entries that are not JSON objects are not stored. */
  readonly unreadable?: string;
}

export function createListingStore({ sql, now }: StoreContext): ListingStore {
  return {
    async get(key) {
      const [row] = await sql.all(
        'SELECT l.hash, l.about, t.tools FROM mcp_listings AS l JOIN mcp_tools AS t ON t.hash = l.hash WHERE l.server = ?',
        [encodeKey(key)],
      );
      if (row === undefined) return undefined;
      const about = JSON.parse(textOf(row, 'about')) as Omit<StoredListing, 'hash' | 'tools'>;
      return { hash: textOf(row, 'hash'), tools: JSON.parse(textOf(row, 'tools')) as JsonObject[], ...about };
    },

    put: (key, { hash, tools, ...about }) =>
      sql.transaction(async (statements) => {
        await lockListings(statements);
        const definitions = { hash, tools: JSON.stringify(tools) };
        await insertRows(statements, 'mcp_tools', [definitions], { key: ['hash'], existing: 'keep' });
        const listing = { server: encodeKey(key), hash, about: JSON.stringify(about), updated_at: now() };
        await insertRows(statements, 'mcp_listings', [listing], { key: ['server'], existing: 'replace' });
        await deleteUnused(statements);
      }),

    delete: (key) =>
      sql.transaction(async (statements) => {
        await lockListings(statements);
        await statements.run('DELETE FROM mcp_listings WHERE server = ?', [encodeKey(key)]);
        await deleteUnused(statements);
      }),
  };
}

/** Listings change rarely and share their tools: writers queue up, so that none deletes what another is about to refer to. */
async function lockListings(statements: Statements): Promise<void> {
  if (statements.dialect === 'postgres') await statements.run('LOCK TABLE mcp_listings IN SHARE ROW EXCLUSIVE MODE');
}

async function deleteUnused(statements: Statements): Promise<void> {
  await statements.run(
    'DELETE FROM mcp_tools WHERE NOT EXISTS (SELECT 1 FROM mcp_listings AS l WHERE l.hash = mcp_tools.hash)',
  );
}

function encodeKey(key: string): string {
  return encodeName(key, 'key of a listing');
}
