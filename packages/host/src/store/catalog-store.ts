import { decodeText, encodeName, numberOf, textOf } from './internal/columns.ts';
import type { Row } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Named catalogs: tools uploaded once and then asked for by name. */
export interface CatalogStore {
  /** Creates or replaces. The same hash again changes nothing, not even the time. */
  put(catalog: NewCatalog): Promise<'created' | 'replaced' | 'unchanged'>;
  /** Everything but the tools: enough to find an index that was built for the hash. */
  head(name: string): Promise<CatalogHead | undefined>;
  get(name: string): Promise<NamedCatalog | undefined>;
  /** All of them, by name. */
  list(): Promise<readonly CatalogHead[]>;
  delete(name: string): Promise<boolean>;
}

export interface NewCatalog {
  readonly name: string;
  /** The snapshot's content hash. */
  readonly hash: string;
  /** The definitions as JSON text, kept as they are. */
  readonly tools: string;
  readonly toolCount: number;
}

export interface CatalogHead {
  readonly name: string;
  readonly hash: string;
  readonly toolCount: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface NamedCatalog extends CatalogHead {
  readonly tools: string;
}

export function createCatalogStore({ sql, now }: StoreContext): CatalogStore {
  return {
    put: (catalog) =>
      sql.transaction(async (statements) => {
        const name = encodeName(catalog.name, 'name of a catalog');
        const [known] = await statements.all('SELECT hash FROM catalogs WHERE name = ?', [name]);
        if (known?.hash === catalog.hash) return 'unchanged';
        await statements.run(
          `INSERT INTO catalogs (name, hash, tools, tool_count, updated_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, tools = excluded.tools,
             tool_count = excluded.tool_count, updated_at = excluded.updated_at`,
          [name, catalog.hash, catalog.tools, catalog.toolCount, now()],
        );
        return known === undefined ? 'created' : 'replaced';
      }),

    async head(name) {
      const [row] = await sql.all(`SELECT ${HEAD} FROM catalogs WHERE name = ?`, [
        encodeName(name, 'name of a catalog'),
      ]);
      return row === undefined ? undefined : readHead(row);
    },

    async get(name) {
      const [row] = await sql.all(`SELECT ${HEAD}, tools FROM catalogs WHERE name = ?`, [
        encodeName(name, 'name of a catalog'),
      ]);
      return row === undefined ? undefined : { ...readHead(row), tools: textOf(row, 'tools') };
    },

    async list() {
      return (await sql.all(`SELECT ${HEAD} FROM catalogs ORDER BY name`)).map(readHead);
    },

    async delete(name) {
      return (await sql.run('DELETE FROM catalogs WHERE name = ?', [encodeName(name, 'name of a catalog')])) > 0;
    },
  };
}

const HEAD = 'name, hash, tool_count, updated_at';

function readHead(row: Row): CatalogHead {
  return {
    name: decodeText(textOf(row, 'name')),
    hash: textOf(row, 'hash'),
    toolCount: numberOf(row, 'tool_count'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}
