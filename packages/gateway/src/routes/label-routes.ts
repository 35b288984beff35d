import { parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import { MOST_CASE_CHARACTERS } from '@quartermaster/host/store';
import { type Api, jsonRoutes, needing, type RoutedRequest } from '../api/index.ts';
import { component, described, list, record, type Schema, TEXT } from '../api/schema.ts';
import { CATALOG_HEAD } from '../api/search-schemas.ts';
import { loadCatalog } from '../catalogs/index.ts';
import { ApiError, type RequestContext } from '../http/index.ts';
import type { EvaluationCase } from '../search/index.ts';
import { changeableCatalog, putCatalog, unknownCatalog, usableCatalog } from './catalog-routes.ts';
import type { Services } from './services.ts';

/** What people add to a catalog's searches: labelled requests to evaluate it with, and words that a tool should be found by. */
export function mountLabelRoutes(api: Api, services: Services): void {
  const { runner, store, catalogs, mcp } = services;
  const routes = jsonRoutes(api, runner, 'catalogs');
  const stored = needing(() => store, "This gateway has no store, so it can't keep labels");

  /** Labels change how a catalog is judged, so they are for those who may change the catalog. */
  async function labelled(request: RoutedRequest): Promise<string> {
    const name = changeableCatalog(request);
    const { owner, mayWriteCatalog } = request.access;
    const head = await store?.catalogs.head(name);
    if (mayWriteCatalog(name) || (head !== undefined && head.owner === owner)) return name;
    throw new ApiError(403, `Catalog '${name}' belongs to another key; this one may not label it`);
  }

  /** The tools of a catalog that this key may use, by id. Throws for a catalog that it may not use. */
  async function usableTools({ access }: RequestContext, name: string): Promise<ReadonlySet<string>> {
    return new Set((await loadCatalog(catalogs, name, access)).tools.map(({ id }) => id));
  }

  async function checkTools(
    requestContext: RequestContext,
    name: string,
    { tools, field = 'tools' }: { readonly tools: readonly string[]; readonly field?: string },
  ): Promise<void> {
    const usable = await usableTools(requestContext, name);
    const missing = tools.find((id) => !usable.has(id));
    if (missing !== undefined)
      throw new ApiError(400, `${field}: '${missing.slice(0, 200)}' is not a tool of this catalog`);
  }

  routes.get(
    '/v1/catalogs/:name/cases',
    { summary: 'Labelled requests of a catalog, for POST /v1/catalogs/{name}/evaluate.', answer: CASES_ANSWER },
    stored(async (request, { cases }) => {
      const name = usableCatalog(request);
      if (mcp?.catalogs.has(name) !== true && (await store?.catalogs.head(name)) === undefined) throw unknownCatalog();
      const listed = await cases.list(name);
      // A key with rules for tools sees only the cases of tools that it may use.
      const usable = request.access.tools === undefined ? undefined : await usableTools(request, name);
      const shown = usable === undefined ? listed : listed.filter(({ tools }) => tools.every((id) => usable.has(id)));
      return {
        data: shown.map(({ query, tools, at, by }) => ({
          ...{ query, tools, created_at: new Date(at).toISOString(), created_by: by },
        })),
      };
    }),
  );
  routes.post(
    '/v1/catalogs/:name/cases',
    { summary: 'Adds a labelled request, or changes its tools.', body: CASE_BODY, answer: CASE_ANSWER },
    stored(async (request, { cases }) => {
      const name = await labelled(request);
      const { query, tools } = await request.readBody<EvaluationCase>();
      if (/\p{Surrogate}/u.test(query)) throw new ApiError(400, 'query: should be well-formed Unicode');
      await checkTools(request, name, { tools });
      const outcome = await cases.put(name, { query, tools, by: request.access.owner });
      if (outcome === 'full') {
        throw new ApiError(400, 'This catalog already has 1,000 labelled requests, the maximum; delete some first');
      }
      return { type: 'case', query, tools };
    }),
  );
  routes.delete(
    '/v1/catalogs/:name/cases',
    { summary: 'Deletes a labelled request.', query: CASE_QUERY, answer: DELETED_CASE },
    stored(async (request, { cases }) => {
      const name = await labelled(request);
      const { query } = request.query;
      if (query === undefined) throw new ApiError(400, 'query: Field required', { param: 'query' });
      if (!(await cases.delete(name, query, request.access.owner)))
        throw new ApiError(404, 'There is no such labelled request');
      return { type: 'case_deleted', query };
    }),
  );
  routes.post(
    '/v1/catalogs/:name/hints',
    {
      summary: 'Adds search words to a tool. Creates a new version of the catalog.',
      body: HINT_BODY,
      answer: CATALOG_HEAD,
    },
    stored(async (request, kept) => {
      const name = changeableCatalog(request);
      const { tool, hint } = await request.readBody<{ readonly tool: string; readonly hint: string }>();
      await checkTools(request, name, { tools: [tool], field: 'tool' });
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        const stored = await kept.catalogs.get(name);
        if (stored === undefined) {
          throw new ApiError(
            400,
            `Catalog '${name}' is an MCP server's; its hints come from search.hints in the settings`,
          );
        }
        const definitions = JSON.parse(stored.tools) as JsonObject[];
        const tools = definitions.map((definition) => withHint(definition, tool, hint));
        const bytes = Buffer.from(JSON.stringify({ tools }));
        const put = await putCatalog(services, request, { name, bytes, replaces: stored.version });
        if (put.outcome !== 'outdated') return put.head;
      }
      throw new ApiError(409, `Catalog '${name}' was changed during every attempt to add the hint; try again`);
    }),
  );
}

const CASE_BODY: Schema = record({
  query: { type: 'string', minLength: 1, maxLength: MOST_CASE_CHARACTERS },
  tools: described(
    { type: 'array', items: TEXT, minItems: 1, maxItems: 20 },
    'Ids of tools of the catalog, any of which answers it.',
  ),
});
/** In the query string: clients resolve a path segment of dots, and proxies decode slashes. */
const CASE_QUERY: Schema = record({ query: TEXT });
const CASES_ANSWER: Schema = record({
  data: list(component('StoredCase', record({ query: TEXT, tools: list(TEXT), created_at: TEXT, created_by: TEXT }))),
});
const CASE_ANSWER: Schema = record({ type: { const: 'case' }, query: TEXT, tools: list(TEXT) });
const DELETED_CASE: Schema = record({ type: { const: 'case_deleted' }, query: TEXT });
const HINT_BODY: Schema = record({
  tool: described(TEXT, 'The id of a tool of the catalog.'),
  hint: described(
    { type: 'string', minLength: 1, maxLength: 200 },
    'Words that the tool should be found by. Only the index holds them; no model sees them.',
  ),
});

/** How often a hint is added again to a catalog that has changed in the meantime. Each failed attempt means that another one succeeded. */
const MOST_ATTEMPTS = 20;

/** More words would outweigh those of the definition. */
const MOST_HINT_CHARACTERS = 4_000;

/** The definition unchanged or, for the tool in question, in MCP's format: no other format has a place for a hint. */
function withHint(definition: JsonObject, id: string, hint: string): JsonObject {
  const [tool] = parseTools([definition]).tools;
  if (tool?.id !== id) return definition;
  const known = tool.extras.searchHint?.split('\n') ?? [];
  if (known.includes(hint)) return definition;
  const searchHint = [...known, hint].join('\n');
  if (searchHint.length > MOST_HINT_CHARACTERS) {
    throw new ApiError(400, `hint: the hints of a tool may have ${MOST_HINT_CHARACTERS} characters together`);
  }
  const hinted: Tool = { ...tool, extras: { ...tool.extras, searchHint } };
  const written = writeTool(hinted, 'mcp', { name: tool.name });
  const server = isJsonObject(definition) ? definition.server : undefined;
  return { ...written, ...(typeof server === 'string' ? { server } : {}) } as JsonObject;
}
