import { hash as sha } from 'node:crypto';
import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { memoized } from '@quartermaster/core/internal';
import type { CatalogHead, CatalogStore } from '@quartermaster/host/store';
import type { CompiledPermissions, Permissions } from '@quartermaster/mcp';
import type { Access } from '../access/index.ts';
import { ApiError } from '../http/index.ts';
import type { LivePolicies } from '../management/index.ts';
import type { ServerCatalogs } from '../mcp/index.ts';
import { ByteCache, type MemoryBudget } from './memory-budget.ts';
import { readStoredTools } from './read-stored-tools.ts';

/** The type of a tool entry that names a catalog. */
export const CATALOG_TYPE = 'quartermaster_catalog';

/** A catalog that a request names. */
export interface CatalogEntry {
  readonly name: string;
  readonly isDeferred: boolean;
}

/** The current state of a catalog. */
export interface LoadedCatalog extends StoredTools {
  readonly entry: CatalogEntry;
  /** If its tools come from servers: those that can't be reached now. */
  readonly unavailable?: () => readonly Unavailable[];
}

/** Who the caller is, for its share of the memory, and what it may use. */
export type CatalogRights = Pick<Access, 'owner' | 'mayUseCatalog' | 'tools'>;

export interface NamedCatalogs {
  /** The requested catalogs. Throws for one that does not exist, or that the caller may not use. */
  load(entries: readonly CatalogEntry[], rights: CatalogRights): Promise<readonly LoadedCatalog[]>;
}

/** A request's definitions: named catalogs, and all others. */
export function splitCatalogs(definitions: readonly unknown[]): {
  readonly entries: readonly CatalogEntry[];
  readonly others: readonly unknown[];
} {
  const isEntry = (one: unknown): one is JsonObject => isJsonObject(one) && one.type === CATALOG_TYPE;
  if (!definitions.some(isEntry)) return { entries: [], others: definitions };
  return {
    entries: definitions.filter(isEntry).map(readEntry),
    others: definitions.filter((one) => !isEntry(one)),
  };
}

function readEntry({ name, defer_loading: isDeferred }: JsonObject): CatalogEntry {
  if (typeof name !== 'string' || name === '') {
    throw new ApiError(400, `tools: a ${CATALOG_TYPE} needs the name of a catalog`);
  }
  return { name, isDeferred: isDeferred !== false };
}

interface StoredTools {
  readonly hash: string;
  readonly tools: readonly Tool[];
  readonly bytes: number;
}

/** Read from the store once for each content: every request asks for the hash only. */
export function createNamedCatalogs(
  store: CatalogStore | undefined,
  options: {
    readonly memory: MemoryBudget;
    /** Passed in, so that workers, which have no catalogs, need not load the MCP client. */
    compile(permissions: Permissions): CompiledPermissions;
    readonly servers?: ServerCatalogs | undefined;
    /** Called for each stored catalog that a request names. */
    readonly onLoad?: ((head: CatalogHead) => void) | undefined;
    /** Policies that were set at run time. @default none */
    readonly policies?: Pick<LivePolicies, 'apply' | 'revision'>;
  },
): NamedCatalogs {
  const { servers, policies } = options;
  const pending = new Map<string, Promise<StoredTools>>();
  /** Created once for each set of permissions: keys are many, and often share them. */
  const allowedIn = memoized((tools: readonly Tool[]) =>
    memoized(({ allowsTool }: CompiledPermissions) => tools.filter(allowsTool)),
  );
  const known = new ByteCache<{ readonly tools: readonly Tool[]; readonly bytes: number }>(options.memory);

  async function load(
    entry: CatalogEntry,
    { owner, mayUseCatalog: mayUse, tools: allowed }: CatalogRights,
  ): Promise<LoadedCatalog> {
    if (servers?.has(entry.name) === true && mayUse(entry.name)) {
      return { entry, ...(await servers.load(entry.name, allowed)) };
    }
    const head = mayUse(entry.name) ? await store?.head(entry.name) : undefined;
    // The same message for both, so that names can't be guessed.
    if (head === undefined) throw unknownCatalog(entry.name);
    options.onLoad?.(head);
    const cached = known.get(head.hash);
    const stored =
      cached === undefined ? await share(head.hash, () => read(entry.name, owner)) : { hash: head.hash, ...cached };
    return ruled(entry, allowed === undefined ? stored : restricted(stored, allowed));
  }

  function restricted({ hash, tools, bytes }: StoredTools, permissions: Permissions): StoredTools {
    const allowed = allowedIn(tools)(options.compile(permissions));
    const { allow = null, deny = null } = permissions;
    const mark = sha('sha256', JSON.stringify([hash, allow, deny]));
    return { hash: allowed.length === tools.length ? hash : mark, tools: allowed, bytes };
  }

  /** Different policies make a different list of tools for a model. */
  function ruled(entry: CatalogEntry, { hash, tools, bytes }: StoredTools): LoadedCatalog {
    if (policies === undefined || policies.revision === '') return { entry, hash, tools, bytes };
    return { entry, hash: `${hash} ${policies.revision}`, tools: policies.apply(tools), bytes };
  }

  /** Requests that arrive while it is being read wait for the same read. */
  function share(hash: string, begin: () => Promise<StoredTools>): Promise<StoredTools> {
    const reading = pending.get(hash) ?? begin().finally(() => pending.delete(hash));
    pending.set(hash, reading);
    return reading;
  }

  async function read(name: string, owner: string): Promise<StoredTools> {
    const catalog = await store?.get(name);
    if (catalog === undefined) throw unknownCatalog(name);
    const tools = await readStoredTools(catalog.tools);
    const bytes = Buffer.byteLength(catalog.tools);
    known.set(catalog.hash, { tools, bytes }, { bytes: bytes * BYTES_PER_BYTE, owner });
    return { hash: catalog.hash, tools, bytes };
  }

  return { load: (entries, rights) => Promise.all(entries.map((entry) => load(entry, rights))) };
}

/** One catalog with its tools. */
export async function loadCatalog(
  catalogs: NamedCatalogs,
  name: string,
  rights: CatalogRights,
): Promise<LoadedCatalog> {
  const [catalog] = await catalogs.load([{ name, isDeferred: true }], rights);
  if (catalog === undefined) throw unknownCatalog(name);
  return catalog;
}

/** The memory of tools per byte of their text. */
const BYTES_PER_BYTE = 4;

/** A catalog's tools as this request wants them: deferred, except those whose own policy is never; or in full. */
export function catalogTools({ entry, tools }: LoadedCatalog): readonly Tool[] {
  if (!entry.isDeferred) return tools.map((tool) => ({ ...tool, policy: 'never' }));
  return tools.map((tool) => (tool.policy === 'automatic' ? { ...tool, policy: 'always' } : tool));
}

/** Identifies the tools of these catalogs in this order, however a request wants them. */
export function catalogsKey(catalogs: readonly Pick<LoadedCatalog, 'hash'>[]): string | undefined {
  return catalogs.length === 0 ? undefined : `catalogs ${catalogs.map(({ hash }) => hash).join(' ')}`;
}

function unknownCatalog(name: string): ApiError {
  return new ApiError(404, `There is no catalog named '${name.slice(0, 200)}' that this key may use`);
}
