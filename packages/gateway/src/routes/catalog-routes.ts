import type { Tool } from '@quartermaster/core';
import { writeTool } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { CatalogActor, CatalogHead, CatalogStore, CatalogVersion } from '@quartermaster/host/store';
import type { Context } from 'hono';
import type { Access } from '../access/index.ts';
import {
  CATALOG_USAGE,
  CATALOG_VERSIONS,
  DELETE_CATALOG,
  GET_CATALOG,
  LIST_CATALOGS,
  PUT_CATALOG,
} from '../api/catalog-operations.ts';
import type { Api } from '../api/index.ts';
import { ApiError, anthropicErrorBody, type RequestContext, readBytes, streamText, toApiError } from '../http/index.ts';
import type { ServerCatalog, ServerCatalogs } from '../mcp/index.ts';
import { readCatalogUsage } from './catalog-usage.ts';
import type { Services } from './services.ts';

/** Catalogs that are uploaded once and then named in requests, and those of the configured MCP servers, which can only be read. */
export function mountCatalogRoutes(api: Api, services: Services): void {
  const { runner, store, settings, usage, mcp, catalogs: named, indexed } = services;
  const servers = mcp?.catalogs;
  const receive = (
    context: Context,
    handler: (requestContext: RequestContext, catalogs: CatalogStore) => Promise<Response>,
  ) =>
    runner.run(context.req.raw, {
      route: 'catalogs',
      errorBody: anthropicErrorBody,
      async handler(requestContext) {
        if (store === undefined) throw new ApiError(404, 'This gateway has no store, so it has no catalogs of its own');
        return handler(requestContext, store.catalogs);
      },
    });
  const receiveAny = (context: Context, handler: (requestContext: RequestContext) => Promise<Response>) =>
    runner.run(context.req.raw, { route: 'catalogs', errorBody: anthropicErrorBody, handler });
  const checkChangeable = (requestContext: RequestContext, name: string): string => {
    const checked = changeableCatalog(requestContext, name);
    if (servers?.has(checked) === true) {
      throw new ApiError(400, `Catalog '${checked}' comes from mcpServers in the settings and can't be changed here`);
    }
    return checked;
  };

  /** The tools of a stored catalog that a key may use. */
  const storedTools = async ({ access }: RequestContext, name: string): Promise<readonly Tool[]> => {
    const rights = { owner: access.owner, mayUse: access.mayUseCatalog, ...defined({ tools: access.tools }) };
    const [catalog] = await named.load([{ name, isDeferred: true }], rights);
    return catalog?.tools ?? [];
  };

  api.get('/v1/catalogs', LIST_CATALOGS, (context) =>
    receiveAny(context, async ({ access }) => {
      const served = await listServers(servers, access);
      const stored = ((await store?.catalogs.list()) ?? []).filter(
        ({ name }) => access.mayUseCatalog(name) && servers?.has(name) !== true,
      );
      return Response.json({ data: [...stored.map(writeHead), ...served] });
    }),
  );
  api.put('/v1/catalogs/:name', PUT_CATALOG, (context) =>
    receive(context, async (requestContext) => {
      const name = checkChangeable(requestContext, context.req.param('name'));
      const bytes = await readBytes(requestContext.request, settings.maxBodyBytes);
      const { isNew, head } = await putCatalog(services, requestContext, { name, bytes });
      return Response.json(head, { status: isNew ? 201 : 200 });
    }),
  );
  api.get('/v1/catalogs/:name', GET_CATALOG, (context) =>
    receiveAny(context, async (requestContext) => {
      const name = usableCatalog(requestContext, context.req.param('name'));
      if (servers?.has(name) === true) {
        const served = await servers.load(name, requestContext.access.tools);
        return Response.json({ ...writeServed(served), tools: served.definitions() });
      }
      if (requestContext.access.tools !== undefined) {
        const head = await store?.catalogs.head(name);
        if (head === undefined) throw unknown();
        const tools = await storedTools(requestContext, name);
        const written = tools.map((tool) => writeTool(tool, 'mcp', { name: tool.name }));
        return Response.json({ ...writeHead({ ...head, toolCount: tools.length }), tools: written });
      }
      const catalog = await store?.catalogs.get(name);
      if (catalog === undefined) throw unknown();
      // The stored text as it is: thousands of definitions need not be read to be handed over.
      const head = JSON.stringify(writeHead(catalog)).slice(0, -1);
      const body = streamText([`${head},"tools":`, catalog.tools, '}']);
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    }),
  );
  api.get('/v1/catalogs/:name/usage', CATALOG_USAGE, (context) =>
    receiveAny(context, async (requestContext) => {
      const name = usableCatalog(requestContext, context.req.param('name'));
      const { owner, tools: allowed } = requestContext.access;
      const tools =
        servers?.has(name) === true
          ? (await servers.load(name, allowed)).tools
          : await storedTools(requestContext, name);
      await usage.flush();
      return Response.json(await readCatalogUsage(store?.usage, { name, tools, owner }));
    }),
  );
  api.get('/v1/catalogs/:name/versions', CATALOG_VERSIONS, (context) =>
    receiveAny(context, async (requestContext) => {
      const name = usableCatalog(requestContext, context.req.param('name'));
      if (servers?.has(name) === true)
        throw new ApiError(404, `Catalog '${name}' is its server's, and has no versions`);
      const versions = (await store?.catalogs.versions(name)) ?? [];
      if (versions.length === 0 && (await store?.catalogs.head(name)) === undefined) throw unknown();
      return Response.json({ data: versions.map(writeVersion) });
    }),
  );
  api.delete('/v1/catalogs/:name', DELETE_CATALOG, (context) =>
    receive(context, async (requestContext, catalogs) => {
      const name = checkChangeable(requestContext, context.req.param('name'));
      const outcome = await catalogs.delete(name, actorOf(requestContext));
      if (outcome === 'denied') throw notYours(name);
      if (outcome === 'unknown') throw unknown();
      await indexed?.remove(name);
      return Response.json({ type: 'catalog_deleted', name });
    }),
  );
}

/** The name of a catalog that this key may use and may label or change. Throws otherwise. */
export function changeableCatalog(requestContext: RequestContext, name: string): string {
  if (!NAME.test(name)) throw new ApiError(400, `name: String should match pattern '${NAME.source}'`);
  const checked = usableCatalog(requestContext, name);
  if (requestContext.access.role !== 'consumer') return checked;
  throw new ApiError(403, 'This key may use catalogs but not change them; that requires the role publisher or admin');
}

/** Stores a catalog as a new version, and has it indexed. */
export async function putCatalog(
  { store, bulk, settings, indexed }: Services,
  requestContext: RequestContext,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<{ readonly isNew: boolean; readonly head: object }> {
  const body = { bytes, owner: requestContext.access.owner };
  const { findings, ...catalog } = await bulk.readUpload(body, settings.maxCatalogTools);
  const outcome = await store?.catalogs.put({ name, ...catalog }, actorOf(requestContext));
  if (outcome === 'denied') throw notYours(name);
  const head = await store?.catalogs.head(name);
  if (head !== undefined) await indexed?.index(head);
  return {
    isNew: outcome === 'created',
    head: head === undefined ? {} : { ...writeHead(head), ...(findings.length > 0 ? { findings } : {}) },
  };
}

function actorOf({ access }: RequestContext): CatalogActor {
  return { id: access.owner, mayChangeAny: access.role === 'admin' };
}

function notYours(name: string): ApiError {
  return new ApiError(403, `Catalog '${name}' belongs to another key; only that one or an admin may change it`);
}

/** No `.` or `..`: clients resolve these in a path. */
const NAME = /^(?!\.{1,2}$)[a-zA-Z0-9_.-]{1,128}$/;

/** The name of a catalog that this key may use, which an MCP server may have chosen freely. Throws otherwise. */
export function usableCatalog({ access }: RequestContext, name: string): string {
  if (!access.mayUseCatalog(name)) throw unknown();
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

/** One whose servers don't answer is listed all the same, with the reason. */
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

function unknown(): ApiError {
  return new ApiError(404, 'There is no catalog of this name that this key may use');
}
