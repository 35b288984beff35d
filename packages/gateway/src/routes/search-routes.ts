import { isJsonObject } from '@quartermaster/core/catalog';
import { compilePermissions } from '@quartermaster/mcp';
import { takeSearches } from '../access/index.ts';
import { type Api, type JsonHandler, jsonRoutes, type RoutedRequest } from '../api/index.ts';
import {
  ENGINES_ANSWER,
  EVALUATE_BODY,
  EVALUATION_ANSWER,
  OWN_TOOLS_BODY,
  SEARCH_ANSWER,
  SEARCH_BODY,
} from '../api/search-schemas.ts';
import { loadCatalog } from '../catalogs/index.ts';
import { ApiError, parseJson, type RequestContext, readBytes } from '../http/index.ts';
import {
  type CatalogSearchRequest,
  countSearches,
  type IndexedTools,
  readEvaluationRequest,
  readSearchRequest,
  type SearchableTools,
} from '../search/index.ts';
import type { Services } from './services.ts';

/** Search without a model: over a stored catalog, or over the tools in the request. */
export function mountSearchRoutes(
  api: Api,
  { runner, settings, catalogs, search, bulk, indexed, store, mcp }: Services,
): void {
  const routes = jsonRoutes(api, runner, 'search');
  /** A search of a stored catalog is only a few texts. */
  const small =
    (handler: (request: RoutedRequest, body: unknown) => Promise<object>): JsonHandler =>
    async (request) => {
      const maxBytes = Math.min(settings.maxBodyBytes, MOST_QUESTION_BYTES);
      return handler(request, parseJson(await readBytes(request, maxBytes)));
    };
  const load = async ({ access }: RequestContext, name: string): Promise<SearchableTools> => {
    return { ...(await loadCatalog(catalogs, name, access)), owner: access.owner };
  };

  /** The catalog in its index; undefined if the request needs all of its tools here. */
  const findIndexed = async (
    { access }: RequestContext,
    name: string,
    { engine, drafts, compare = [] }: Pick<CatalogSearchRequest, 'engine' | 'drafts'> & Partial<CatalogSearchRequest>,
  ): Promise<IndexedTools | undefined> => {
    const isUsual = engine === 'auto' || engine === search.engines.configured;
    if (indexed === undefined || !isUsual || drafts.size > 0 || compare.length > 0) return undefined;
    if (!access.mayUseCatalog(name) || mcp?.catalogs.has(name) === true) return undefined;
    const head = await store?.catalogs.head(name);
    const found =
      head === undefined
        ? await indexed.findRegistry(name)
        : { searcher: indexed.searcherOf(head), toolCount: head.toolCount };
    if (found === undefined || access.tools === undefined) return found;
    return { searcher: found.searcher, allow: compilePermissions(access.tools).allowsTool };
  };

  routes.post(
    '/v1/catalogs/:name/search',
    { summary: 'Searches a catalog without a model.', body: SEARCH_BODY, answer: SEARCH_ANSWER },
    small(async (routed, body) => {
      if (isJsonObject(body) && body.tools !== undefined) {
        throw new ApiError(400, 'tools: this searches the named catalog; POST /v1/search takes tools in the request');
      }
      const request = readSearchRequest(body, settings.maxQueryLength);
      await take(routed, countSearches(request));
      const name = routed.param('name');
      const tools = (await findIndexed(routed, name, request)) ?? (await load(routed, name));
      return search.service.search(tools, request, routed.signal);
    }),
  );
  routes.post(
    '/v1/catalogs/:name/evaluate',
    {
      summary: 'How many labelled requests find their tool among the first one, three and five results.',
      body: EVALUATE_BODY,
      answer: EVALUATION_ANSWER,
    },
    small(async (routed, body) => {
      const request = readEvaluationRequest(body, settings.maxQueryLength);
      await take(routed, request.cases.length);
      const name = routed.param('name');
      const tools = (await findIndexed(routed, name, request)) ?? (await load(routed, name));
      return search.service.evaluate(tools, request, routed.signal);
    }),
  );
  routes.post(
    '/v1/search',
    { summary: 'Searches the tools in the request.', body: OWN_TOOLS_BODY, answer: SEARCH_ANSWER },
    async (routed) => {
      const { access, signal } = routed;
      const bytes = await readBytes(routed, settings.maxBodyBytes);
      // How many searches a large body makes is known once it is parsed.
      const admit = (count: number): Promise<void> => take(routed, count);
      return bulk.search({ bytes, owner: access.owner }, { signal, admit });
    },
  );
  routes.get(
    '/v1/search/engines',
    { summary: 'The search engines that this gateway can run.', answer: ENGINES_ANSWER },
    async () => ({ configured: search.engines.configured, data: search.engines.available.map((id) => ({ id })) }),
  );
}

/** Takes the searches of a request from its key's limit, and counts them in its log line. */
async function take({ access, facts }: RequestContext, count: number): Promise<void> {
  await takeSearches(access, count);
  facts.searches = count;
}

/** Parsed here in one go: small enough not to delay anyone. */
const MOST_QUESTION_BYTES = 1024 * 1024;
