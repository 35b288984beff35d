import { createSnapshot, isJsonObject, parseTools } from '@quartermaster/core';
import type { CatalogHead, CatalogStore } from '@quartermaster/host/store';
import type { Context, Hono } from 'hono';
import { ApiError, anthropicErrorBody, readBytes, type Visit } from '../http/index.ts';
import type { Services } from './services.ts';

/** Catalogs that are uploaded once and then named in requests. */
export function mountCatalogRoutes(app: Hono, { reception, store, settings }: Services): void {
  const receive = (context: Context, handler: (visit: Visit, catalogs: CatalogStore) => Promise<Response>) =>
    reception.receive(context.req.raw, {
      route: 'catalogs',
      errorBody: anthropicErrorBody,
      async handler(visit) {
        if (store === undefined) throw new ApiError(404, 'This gateway has no store, and so no catalogs');
        return handler(visit, store.catalogs);
      },
    });

  app.get('/v1/catalogs', (context) =>
    receive(context, async ({ access }, catalogs) => {
      const heads = (await catalogs.list()).filter(({ name }) => access.mayUseCatalog(name));
      return Response.json({ data: heads.map(writeHead) });
    }),
  );
  app.put('/v1/catalogs/:name', (context) =>
    receive(context, async (visit, catalogs) => {
      const name = checkName(visit, context.req.param('name'));
      const catalog = readCatalog(await readBytes(visit.request, settings.maxBodyBytes));
      const outcome = await catalogs.put({ name, ...catalog });
      const head = await catalogs.head(name);
      return Response.json(head === undefined ? {} : writeHead(head), { status: outcome === 'created' ? 201 : 200 });
    }),
  );
  app.get('/v1/catalogs/:name', (context) =>
    receive(context, async (visit, catalogs) => {
      const catalog = await catalogs.get(checkName(visit, context.req.param('name')));
      if (catalog === undefined) throw unknown();
      // The stored text as it is: thousands of definitions need not be read to be handed over.
      const head = JSON.stringify(writeHead(catalog)).slice(0, -1);
      return new Response(`${head},"tools":${catalog.tools}}`, { headers: { 'content-type': 'application/json' } });
    }),
  );
  app.delete('/v1/catalogs/:name', (context) =>
    receive(context, async (visit, catalogs) => {
      const name = checkName(visit, context.req.param('name'));
      if (!(await catalogs.delete(name))) throw unknown();
      return Response.json({ type: 'catalog_deleted', name });
    }),
  );
}

const NAME = /^[a-zA-Z0-9_.-]{1,128}$/;

function checkName({ access }: Visit, name: string): string {
  if (!NAME.test(name)) throw new ApiError(400, `name: String should match pattern '${NAME.source}'`);
  if (!access.mayUseCatalog(name)) throw unknown();
  return name;
}

/** A list of definitions in any known format, alone or under `tools`. One that can't be read fails the whole, so that none goes missing. */
function readCatalog(bytes: Buffer): { readonly hash: string; readonly tools: string; readonly toolCount: number } {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiError(400, 'The request body is not valid JSON');
  }
  const definitions = isJsonObject(value) ? value.tools : value;
  if (!Array.isArray(definitions)) throw new ApiError(400, 'tools: Input should be a list of tool definitions');
  const { tools } = parseTools(definitions, { onProblem: 'throw' });
  const { hash } = createSnapshot(tools);
  return { hash, tools: JSON.stringify(definitions), toolCount: tools.length };
}

function writeHead({ name, hash, toolCount, updatedAt }: CatalogHead): object {
  return { type: 'catalog', name, hash, tool_count: toolCount, updated_at: new Date(updatedAt).toISOString() };
}

function unknown(): ApiError {
  return new ApiError(404, 'There is no catalog of this name that this key may use');
}
