import { defined } from '@quartermaster/core/internal';
import { noteChange } from './audit-store.ts';
import { type Blob, blobOf, checkBlob, forgetBlob, PART_BYTES, readBlob, writeBlob } from './internal/blob-parts.ts';
import {
  decodedOf,
  encodeName,
  encodeText,
  numberOf,
  optionalDecodedOf,
  optionalNumberOf,
  textOf,
} from './internal/columns.ts';
import { insertRows, type Row, type Statements } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';
import { StoreError } from './store-error.ts';

/** Named catalogs: tools that are uploaded once and then referred to by name. */
export interface CatalogStore {
  /** Creates or replaces. The same hash again changes nothing, not even the time. A new catalog has no labelled requests. */
  put(catalog: NewCatalog, by?: CatalogActor): Promise<CatalogOutcome>;
  /** Everything but the tools: enough to find an index for the hash. */
  head(name: string): Promise<CatalogHead | undefined>;
  get(name: string): Promise<NamedCatalog | undefined>;
  /** All of them, by name. */
  list(): Promise<readonly CatalogHead[]>;
  /** The versions under this name and who uploaded them, newest first, at most 100. Definitions of earlier versions are not kept. */
  versions(name: string): Promise<readonly CatalogVersion[]>;
  delete(name: string, by?: CatalogActor): Promise<'deleted' | 'unknown' | 'denied'>;
  /** Gives a catalog to another key. `false` if there is none of this name. `by` is the key that makes the change. */
  setOwner(name: string, owner: string, by?: string): Promise<boolean>;
}

/** The outcome of an upload: `outdated` if another version came first, `unknown` if there is none and the caller may not create it. */
export type CatalogOutcome = 'created' | 'replaced' | 'unchanged' | 'denied' | 'outdated' | 'unknown';

/** Who changes a catalog. Its creator owns it; others are denied unless they may change any. */
export interface CatalogActor {
  /** An API key's id, or `''` without keys. */
  readonly id: string;
  readonly mayChangeAny: boolean;
  /** If not, an unknown catalog is reported as `unknown`. @default true */
  readonly mayCreate?: boolean;
}

/** A program with access to the store itself. */
const OPERATOR: CatalogActor = { id: '', mayChangeAny: true };

/** A catalog to be stored under a name. */
export interface NewCatalog {
  readonly name: string;
  /** The snapshot's content hash. */
  readonly hash: string;
  /** The definitions as JSON text, unchanged. */
  readonly tools: string;
  readonly toolCount: number;
  /** The version that it was made from: if another one is stored by now, the outcome is `outdated`. @default any */
  readonly replaces?: number;
}

/** What is known about a named catalog, without its tools. */
export interface CatalogHead {
  readonly name: string;
  readonly hash: string;
  readonly toolCount: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Who created it. Unknown for catalogs that are older than the recording of owners. */
  readonly owner?: string;
  /** 1 when it is created, one more with each change of its content. */
  readonly version: number;
}

/** One version of a named catalog. */
export interface CatalogVersion extends Pick<CatalogHead, 'version' | 'hash' | 'toolCount'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** An API key's id, or `''` for a program with access to the store itself. */
  readonly by: string;
}

/** A named catalog with its definitions as JSON text. */
export interface NamedCatalog extends CatalogHead {
  readonly tools: string;
}

export function createCatalogStore(context: StoreContext): CatalogStore {
  const { sql, now } = context;

  /** Large values are written before, in parts: the transaction only refers to them. */
  async function put(catalog: NewCatalog, by: CatalogActor): Promise<CatalogOutcome> {
    const name = encodeName(catalog.name, 'name of a catalog');
    const isSmall = catalog.tools.length <= PART_BYTES;
    if (!isSmall) {
      const [known] = await sql.all('SELECT hash, owner, version FROM catalogs WHERE name = ?', [name]);
      const refusal = refusalOf(known, catalog, by);
      if (refusal !== undefined) return refusal;
    }
    const blob = isSmall ? undefined : await writeBlob(context, Buffer.from(catalog.tools));
    const { outcome, unused } = await sql.transaction((statements) => refer(statements, { name, catalog, by, blob }));
    if (unused !== undefined) await forgetBlob(context, unused);
    return outcome;
  }

  async function refer(
    statements: Statements,
    change: {
      readonly name: string;
      readonly catalog: NewCatalog;
      readonly by: CatalogActor;
      readonly blob: Blob | undefined;
    },
  ): Promise<{ readonly outcome: CatalogOutcome; readonly unused: Blob | undefined }> {
    const { name, catalog, by, blob } = change;
    const known = await lockCatalog(statements, name);
    const refusal = refusalOf(known, catalog, by);
    if (refusal !== undefined) return { outcome: refusal, unused: blob };
    if (blob !== undefined) await checkBlob(statements, blob);
    await noteChange(statements, context, {
      ...{ actor: by.id, subject: catalog.name, detail: `${catalog.toolCount} tools, ${catalog.hash}` },
      action: known === undefined ? 'catalog.create' : 'catalog.replace',
    });
    // What is left of a deleted catalog belongs to its owner, not to the new catalog's.
    if (known === undefined) await statements.run('DELETE FROM catalog_cases WHERE catalog = ?', [name]);
    const version = known === undefined ? 1 : versionOf(known) + 1;
    const content = { name, version, hash: catalog.hash, tool_count: catalog.toolCount };
    const tools = blob === undefined ? catalog.tools : '';
    const place = { blob: blob?.id ?? null, blob_count: blob?.parts ?? null };
    await insertRows(
      statements,
      'catalogs',
      [{ ...content, tools, ...place, updated_at: now(), owner: encodeText(by.id) }],
      { key: ['name'], existing: 'replace', keeps: ['owner'] },
    );
    await insertRows(statements, 'catalog_versions', [
      { ...content, created_at: now(), created_by: encodeText(by.id) },
    ]);
    await statements.run('DELETE FROM catalog_versions WHERE name = ? AND version <= ?', [
      name,
      version - MOST_VERSIONS,
    ]);
    return known === undefined
      ? { outcome: 'created', unused: undefined }
      : { outcome: 'replaced', unused: blobOf(known) };
  }

  /** Read again if it was replaced while its parts were read. */
  async function get(name: string): Promise<NamedCatalog | undefined> {
    for (let turn = 0; turn < MOST_READS; turn += 1) {
      const [row] = await sql.all(`SELECT ${HEAD}, tools, blob, blob_count FROM catalogs WHERE name = ?`, [
        encodeName(name, 'name of a catalog'),
      ]);
      if (row === undefined) return undefined;
      const blob = blobOf(row);
      if (blob === undefined) return { ...readHead(row), tools: textOf(row, 'tools') };
      const bytes = await readBlob(context, blob);
      if (bytes !== undefined) return { ...readHead(row), tools: bytes.toString('utf8') };
    }
    throw new StoreError('unavailable', `Catalog '${name}' was replaced during every attempt to read it; try again`);
  }

  return {
    put: (catalog, by = OPERATOR) => put(catalog, by),
    get,

    async head(name) {
      const [row] = await sql.all(`SELECT ${HEAD} FROM catalogs WHERE name = ?`, [
        encodeName(name, 'name of a catalog'),
      ]);
      return row === undefined ? undefined : readHead(row);
    },

    async list() {
      return (await sql.all(`SELECT ${HEAD} FROM catalogs ORDER BY name`)).map(readHead);
    },

    async versions(name) {
      const rows = await sql.all('SELECT * FROM catalog_versions WHERE name = ? ORDER BY version DESC', [
        encodeName(name, 'name of a catalog'),
      ]);
      return rows.map((row) => ({
        version: numberOf(row, 'version'),
        hash: textOf(row, 'hash'),
        toolCount: numberOf(row, 'tool_count'),
        at: numberOf(row, 'created_at'),
        by: decodedOf(row, 'created_by'),
      }));
    },

    async delete(name, by = OPERATOR) {
      const key = encodeName(name, 'name of a catalog');
      const { outcome, unused } = await sql.transaction(async (statements) => {
        const known = await lockCatalog(statements, key);
        if (known === undefined) return { outcome: 'unknown' as const };
        if (!mayChange(known, by)) return { outcome: 'denied' as const };
        await statements.run('DELETE FROM catalogs WHERE name = ?', [key]);
        await statements.run('DELETE FROM catalog_versions WHERE name = ?', [key]);
        await statements.run('DELETE FROM catalog_cases WHERE catalog = ?', [key]);
        await noteChange(statements, context, { actor: by.id, action: 'catalog.delete', subject: name, detail: '' });
        return { outcome: 'deleted' as const, unused: blobOf(known) };
      });
      if (unused !== undefined) await forgetBlob(context, unused);
      return outcome;
    },

    async setOwner(name, owner, by = '') {
      const key = encodeName(name, 'name of a catalog');
      return sql.transaction(async (statements) => {
        const known = await lockCatalog(statements, key);
        if (known === undefined) return false;
        await statements.run('UPDATE catalogs SET owner = ? WHERE name = ?', [encodeText(owner), key]);
        const detail = `from ${optionalDecodedOf(known, 'owner') || 'no key'} to ${owner}`;
        await noteChange(statements, context, { actor: by, action: 'catalog.owner', subject: name, detail });
        return true;
      });
    },
  };
}

/** How often reading is repeated for a catalog that is being replaced. */
const MOST_READS = 5;

const HEAD = 'name, hash, tool_count, updated_at, owner, version';
const MOST_VERSIONS = 100;

/** Locked by name, so that of two that create it at the same moment the second one sees the first one's result. */
async function lockCatalog(statements: Statements, name: string): Promise<Row | undefined> {
  if (statements.dialect === 'postgres') {
    await statements.all('SELECT pg_advisory_xact_lock(?, hashtext(?))', [CATALOG_LOCK, name]);
  }
  const [row] = await statements.all('SELECT hash, owner, version, blob, blob_count FROM catalogs WHERE name = ?', [
    name,
  ]);
  return row;
}

const CATALOG_LOCK = 712_884_621;

/** Why a catalog stays as it is; undefined if it is to be written. */
function refusalOf(
  known: Row | undefined,
  { hash, replaces }: NewCatalog,
  by: CatalogActor,
): 'denied' | 'outdated' | 'unknown' | 'unchanged' | undefined {
  if (known !== undefined && !mayChange(known, by)) return 'denied';
  if (known === undefined && by.mayCreate === false) return 'unknown';
  if (replaces !== undefined && (known === undefined || versionOf(known) !== replaces)) return 'outdated';
  return known?.hash === hash ? 'unchanged' : undefined;
}

/** Catalogs that are older than versions have none. */
function versionOf(row: Row): number {
  return optionalNumberOf(row, 'version') ?? 1;
}

function mayChange(known: Row, by: CatalogActor): boolean {
  return by.mayChangeAny || (by.id !== '' && known.owner === encodeText(by.id));
}

function readHead(row: Row): CatalogHead {
  return {
    name: decodedOf(row, 'name'),
    hash: textOf(row, 'hash'),
    toolCount: numberOf(row, 'tool_count'),
    updatedAt: numberOf(row, 'updated_at'),
    version: versionOf(row),
    ...defined({ owner: optionalDecodedOf(row, 'owner') }),
  };
}
