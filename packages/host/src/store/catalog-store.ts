import { noteChange } from './audit-store.ts';
import { decodeText, encodeName, encodeText, numberOf, textOf } from './internal/columns.ts';
import type { Row, Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';

/** Named catalogs: tools uploaded once and then asked for by name. */
export interface CatalogStore {
  /** Creates or replaces. The same hash again changes nothing, not even the time. */
  put(catalog: NewCatalog, by?: CatalogActor): Promise<'created' | 'replaced' | 'unchanged' | 'denied'>;
  /** Everything but the tools: enough to find an index that was built for the hash. */
  head(name: string): Promise<CatalogHead | undefined>;
  get(name: string): Promise<NamedCatalog | undefined>;
  /** All of them, by name. */
  list(): Promise<readonly CatalogHead[]>;
  delete(name: string, by?: CatalogActor): Promise<'deleted' | 'unknown' | 'denied'>;
}

/** Who changes a catalog. Its creator owns it; others are denied unless they may change any. */
export interface CatalogActor {
  /** An API key's id, or `''` where there are no keys. */
  readonly id: string;
  readonly mayChangeAny: boolean;
}

/** Whoever has the store itself. */
const OPERATOR: CatalogActor = { id: '', mayChangeAny: true };

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
  /** Who created it. Unknown for catalogs that are older than owners. */
  readonly owner?: string;
}

export interface NamedCatalog extends CatalogHead {
  readonly tools: string;
}

export function createCatalogStore(context: StoreContext): CatalogStore {
  const { sql, now } = context;
  return {
    put: (catalog, by = OPERATOR) =>
      sql.transaction(async (statements) => {
        const name = encodeName(catalog.name, 'name of a catalog');
        const known = await lockCatalog(statements, name);
        if (known !== undefined && !mayChange(known, by)) return 'denied';
        if (known?.hash === catalog.hash) return 'unchanged';
        await noteChange(statements, context, {
          ...{ actor: by.id, subject: catalog.name, detail: `${catalog.toolCount} tools, ${catalog.hash}` },
          action: known === undefined ? 'catalog.create' : 'catalog.replace',
        });
        await statements.run(
          `INSERT INTO catalogs (name, hash, tools, tool_count, updated_at, owner) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, tools = excluded.tools,
             tool_count = excluded.tool_count, updated_at = excluded.updated_at`,
          [name, catalog.hash, catalog.tools, catalog.toolCount, now(), encodeText(by.id)],
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

    delete: (name, by = OPERATOR) =>
      sql.transaction(async (statements) => {
        const key = encodeName(name, 'name of a catalog');
        const known = await lockCatalog(statements, key);
        if (known === undefined) return 'unknown';
        if (!mayChange(known, by)) return 'denied';
        await statements.run('DELETE FROM catalogs WHERE name = ?', [key]);
        await noteChange(statements, context, { actor: by.id, action: 'catalog.delete', subject: name, detail: '' });
        return 'deleted';
      }),
  };
}

const HEAD = 'name, hash, tool_count, updated_at, owner';

/** Locked by its name, so that of two that create it at the same moment the second is judged by what the first made. */
async function lockCatalog(statements: Statements, name: string): Promise<Row | undefined> {
  if (statements.dialect === 'postgres') {
    await statements.all('SELECT pg_advisory_xact_lock(?, hashtext(?))', [CATALOG_LOCK, name]);
  }
  const [row] = await statements.all('SELECT hash, owner FROM catalogs WHERE name = ?', [name]);
  return row;
}

const CATALOG_LOCK = 712_884_621;

function mayChange(known: Row, by: CatalogActor): boolean {
  return by.mayChangeAny || (by.id !== '' && known.owner === encodeText(by.id));
}

function readHead(row: Row): CatalogHead {
  return {
    name: decodeText(textOf(row, 'name')),
    hash: textOf(row, 'hash'),
    toolCount: numberOf(row, 'tool_count'),
    updatedAt: numberOf(row, 'updated_at'),
    ...(typeof row.owner === 'string' ? { owner: decodeText(row.owner) } : {}),
  };
}
