import { parseTools } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Context, Hono } from 'hono';
import { ApiError, anthropicErrorBody, readBytes, type Visit } from '../http/index.ts';
import { readEvaluationRequest, readSearchRequest, type SearchableTools } from '../search/index.ts';
import type { Services } from './services.ts';

/** Search without a model: over a catalog that the gateway knows, or over the tools in the request. */
export function mountSearchRoutes(app: Hono, { reception, settings, catalogs, search }: Services): void {
  const receive = (context: Context, handler: (visit: Visit, body: unknown) => Promise<object>) =>
    reception.receive(context.req.raw, {
      route: 'search',
      errorBody: anthropicErrorBody,
      async handler(visit) {
        const body = readJson(await readBytes(visit.request, settings.maxBodyBytes));
        return Response.json(await handler(visit, body));
      },
    });
  const load = async ({ access }: Visit, name: string): Promise<SearchableTools> => {
    const rights = { owner: access.owner, mayUse: access.mayUseCatalog, tools: access.tools };
    const [catalog] = await catalogs.load([{ name, isDeferred: true }], rights);
    if (catalog === undefined) throw new ApiError(404, `There is no catalog named '${name.slice(0, 200)}'`);
    return { ...catalog, owner: access.owner };
  };

  app.post('/v1/catalogs/:name/search', (context) =>
    receive(context, async (visit, body) => {
      if (isJsonObject(body) && body.tools !== undefined) {
        throw new ApiError(400, 'tools: this searches the named catalog; POST /v1/search takes tools in the request');
      }
      const request = readSearchRequest(body);
      return search.service.search(await load(visit, context.req.param('name') ?? ''), request, visit.signal);
    }),
  );
  app.post('/v1/catalogs/:name/evaluate', (context) =>
    receive(context, async (visit, body) => {
      const request = readEvaluationRequest(body);
      return search.service.evaluate(await load(visit, context.req.param('name') ?? ''), request, visit.signal);
    }),
  );
  app.post('/v1/search', (context) =>
    receive(context, async ({ signal }, body) => {
      const request = readSearchRequest(body);
      return search.service.search(readTools(body), request, signal);
    }),
  );
  app.get('/v1/search/engines', (context) =>
    reception.receive(context.req.raw, {
      route: 'search',
      errorBody: anthropicErrorBody,
      handler: async () =>
        Response.json({ configured: search.engines.configured, data: search.engines.available.map((id) => ({ id })) }),
    }),
  );
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiError(400, 'The request body is not valid JSON');
  }
}

/** One that can't be read fails the whole request, so that none goes missing. */
function readTools(body: unknown): SearchableTools {
  const definitions = isJsonObject(body) ? body.tools : undefined;
  if (!Array.isArray(definitions)) throw new ApiError(400, 'tools: should be a list of tool definitions');
  return { tools: parseTools(definitions, { onProblem: 'throw' }).tools, bytes: 0 };
}
