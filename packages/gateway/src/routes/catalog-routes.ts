import { writeTool } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { CatalogActor, CatalogHead, CatalogOutcome, CatalogVersion, NewCatalog } from '@quartermaster/host/store';
import { type Access, configuredOwner } from '../access/index.ts';
import { type Api, existing, jsonRoutes, needing, type RoutedRequest } from '../api/index.ts';
import { OWNER_BODY, VERSIONS_ANSWER } from '../api/management-schemas.ts';
import {
  CATALOG_ANSWER,
  CATALOG_BODY,
  CATALOG_HEAD,
  CATALOGS_ANSWER,
  DELETED_CATALOG,
  USAGE_ANSWER,
} from '../api/search-schemas.ts';
import { loadCatalog } from '../catalogs/index.ts';
import { ApiError, type RequestContext, readBytes, streamList, streamText, toApiError } from '../http/index.ts';
import type { ServerCatalog, ServerCatalogs } from '../mcp/index.ts';
import { readCatalogUsage } from './catalog-usage.ts';
import type { Services } from './services.ts';

/** Catalogs that are uploaded once and then named in requests, and those of the configured MCP servers, which are read-only. */
export function mountCatalogRoutes(api: Api, services: Services): void {
  const { runner, store, settings, usage, mcp, catalogs: named, indexed, configuredKeys } = services;
  const servers = mcp?.catalogs;
  const routes = jsonRoutes(api, runner, 'catalogs');
  const stored = needing(() => store?.catalogs, 'This gateway has no store, so it has no catalogs of its own');
  const checkChangeable = (request: RoutedRequest): string => {
    const name = changeableCatalog(request);
    if (servers?.has(name) !== true) return name;
    throw new ApiError(400, `Catalog '${name}' comes from mcpServers in the settings and can't be changed here`);
  };

  routes.get(
    '/v1/catalogs',
    { summary: 'The catalogs that this key may use.', answer: CATALOGS_ANSWER },
    async ({ access }) => {
      const served = await listServers(servers, access);
      const stored = ((await store?.catalogs.list()) ?? []).filter(
        ({ name }) => access.mayUseCatalog(name) && servers?.has(name) !== true,
      );
      return { data: [...stored.map(writeHead), ...served] };
    },
  );
  routes.put(
    '/v1/catalogs/:name',
    { summary: 'Creates or replaces a catalog.', body: CATALOG_BODY, answer: CATALOG_HEAD },
    stored(async (routed) => {
      const name = checkChangeable(routed);
      const bytes = await readBytes(routed, settings.maxBodyBytes);
      const { outcome, head } = await putCatalog(services, routed, { name, bytes });
      return Response.json(head, { status: outcome === 'created' ? 201 : 200 });
    }),
  );
  routes.get('/v1/catalogs/:name', { summary: 'A catalog with its tools.', answer: CATALOG_ANSWER }, async (routed) => {
    const name = usableCatalog(routed);
    if (servers?.has(name) === true) {
      const served = await servers.load(name, routed.access.tools);
      return streamList(writeServed(served), 'tools', served.definitions());
    }
    if (routed.access.tools !== undefined) {
      const head = existing(await store?.catalogs.head(name), unknownCatalog);
      const { tools } = await loadCatalog(named, name, routed.access);
      const written = tools.map((tool) => ({ toJSON: () => writeTool(tool, 'mcp', { name: tool.name }) }));
      return streamList(writeHead({ ...head, toolCount: tools.length }), 'tools', written);
    }
    const catalog = existing(await store?.catalogs.get(name), unknownCatalog);
    // The stored text unchanged: thousands of definitions need not be parsed to be returned.
    const head = JSON.stringify(writeHead(catalog)).slice(0, -1);
    const body = streamText([`${head},"tools":`, catalog.tools, '}']);
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  });
  routes.get(
    '/v1/catalogs/:name/usage',
    { summary: 'How often each tool of a catalog was called with this key.', answer: USAGE_ANSWER },
    async (routed) => {
      const name = usableCatalog(routed);
      const { tools } = await loadCatalog(named, name, routed.access);
      await usage.flush();
      return readCatalogUsage(store?.usage, { name, tools, owner: routed.access.owner });
    },
  );
  routes.get(
    '/v1/catalogs/:name/versions',
    { summary: 'When a catalog changed, and who changed it.', answer: VERSIONS_ANSWER },
    async (routed) => {
      const name = usableCatalog(routed);
      if (servers?.has(name) === true)
        throw new ApiError(404, `Catalog '${name}' comes from an MCP server, which keeps no versions`);
      const versions = (await store?.catalogs.versions(name)) ?? [];
      if (versions.length === 0 && (await store?.catalogs.head(name)) === undefined) throw unknownCatalog();
      return { data: versions.map(writeVersion) };
    },
  );
  routes.patch(
    '/v1/catalogs/:name',
    {
      summary: 'Makes another key the owner of a catalog. Requires an admin key without restrictions.',
      body: OWNER_BODY,
      answer: CATALOG_HEAD,
    },
    stored(async ({ access, param, readBody }, catalogs) => {
      if (!access.isUnlimited) {
        throw new ApiError(403, 'Only an admin key without restrictions can change the owner of a catalog');
      }
      const { owner } = await readBody<{ readonly owner: string }>();
      const key = configuredKeys.find((one) => configuredOwner(one) === owner) ?? (await store?.keys.get(owner));
      if (key === undefined || ('revokedAt' in key && key.revokedAt !== undefined)) {
        throw new ApiError(400, 'owner: should be the id of a key that is not revoked, as GET /v1/keys shows it');
      }
      const name = param('name');
      if (!(await catalogs.setOwner(name, owner, access.owner))) throw unknownCatalog();
      return writeHead(existing(await catalogs.head(name), unknownCatalog));
    }),
  );
  routes.delete(
    '/v1/catalogs/:name',
    { summary: 'Deletes a catalog.', answer: DELETED_CATALOG },
    stored(async (routed, catalogs) => {
      const name = checkChangeable(routed);
      const { owner, role } = routed.access;
      if (role === 'consumer') throw new ApiError(403, 'This key may change this catalog but not delete it');
      const outcome = await catalogs.delete(name, { id: owner, mayChangeAny: role === 'admin' });
      if (outcome === 'denied') throw notYours(name, 'delete');
      if (outcome === 'unknown') throw unknownCatalog();
      await indexed?.remove(name);
      return { type: 'catalog_deleted', name };
    }),
  );
}

/** The name of a catalog that this key may use and, if it owns it, label or change. Throws otherwise. */
export function changeableCatalog(request: RoutedRequest): string {
  if (!NAME.test(request.param('name'))) {
    throw new ApiError(
      400,
      `name: a catalog's name has 1 to 128 letters, digits, '_', '.' and '-', and is not '.' or '..'`,
    );
  }
  const name = usableCatalog(request);
  const { role, mayWriteCatalog } = request.access;
  if (role !== 'consumer' || mayWriteCatalog(name)) return name;
  throw new ApiError(
    403,
    'This key may use this catalog but not change it; that requires the role publisher or admin, or the catalog in writes',
  );
}

/** Stores a catalog as a new version, and indexes it. */
export async function putCatalog(
  { store, bulk, settings, indexed }: Services,
  { access }: RequestContext,
  { bytes, ...place }: Pick<NewCatalog, 'name' | 'replaces'> & { readonly bytes: Buffer },
): Promise<{ readonly outcome: CatalogOutcome | undefined; readonly head: object }> {
  const { name } = place;
  const { owner, role, mayWriteCatalog } = access;
  const { findings, ...catalog } = await bulk.readUpload({ bytes, owner }, settings.maxCatalogTools);
  const by: CatalogActor = { id: owner, mayChangeAny: mayWriteCatalog(name), mayCreate: role !== 'consumer' };
  const outcome = await store?.catalogs.put({ ...place, ...catalog }, by);
  if (outcome === 'denied') throw notYours(name, 'change');
  if (outcome === 'unknown') throw unknownCatalog();
  if (outcome === 'outdated') return { outcome, head: {} };
  const head = await store?.catalogs.head(name);
  if (head !== undefined) await indexed?.index(head);
  return {
    outcome,
    head: head === undefined ? {} : { ...writeHead(head), ...(findings.length > 0 ? { findings } : {}) },
  };
}

function notYours(name: string, what: 'change' | 'delete'): ApiError {
  return new ApiError(403, `Catalog '${name}' belongs to another key; this one may not ${what} it`);
}

/** Not `.` or `..`: clients resolve these in a path. */
const NAME = /^(?!\.{1,2}$)[a-zA-Z0-9_.-]{1,128}$/;

/** The name of a catalog that this key may use; an MCP server may have chosen it freely. Throws otherwise. */
export function usableCatalog({ access, param }: RoutedRequest): string {
  const name = param('name');
  if (!access.mayUseCatalog(name)) throw unknownCatalog();
  return name;
}

function writeHead({ name, hash, toolCount, updatedAt, version, owner }: CatalogHead): object {
  return {
    ...{ type: 'catalog', name, hash, tool_count: toolCount, updated_at: new Date(updatedAt).toISOString(), version },
    ...defined({ owner }),
  };
}

function writeVersion({ version, hash, toolCount, at, by }: CatalogVersion): object {
  return { version, hash, tool_count: toolCount, created_at: new Date(at).toISOString(), created_by: by };
}

/** One whose servers don't respond is listed anyway, with the reason. */
async function listServers(
  servers: ServerCatalogs | undefined,
  { mayUseCatalog, tools }: Access,
): Promise<readonly object[]> {
  const names = (servers?.names() ?? []).filter(mayUseCatalog);
  const shown = names.map(async (name) => {
    try {
      return servers === undefined ? [] : [writeServed(await servers.load(name, tools))];
    } catch (error) {
      return [{ type: 'catalog', name, tool_count: 0, read_only: true, error: toApiError(error).message }];
    }
  });
  return (await Promise.all(shown)).flat();
}

function writeServed({ name, hash, tools, updatedAt }: ServerCatalog): object {
  const at = new Date(updatedAt).toISOString();
  return { type: 'catalog', name, hash, tool_count: tools.length, updated_at: at, read_only: true };
}

export function unknownCatalog(): ApiError {
  return new ApiError(404, 'There is no catalog of this name that this key may use');
}
