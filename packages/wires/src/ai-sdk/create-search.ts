import { createSnapshot, parseTools, type Searcher, type Snapshot, type Tool } from '@quartermaster/core';
import { createTool, NAME_TEMPLATES } from '@quartermaster/core/catalog';
import { BoundedMap, checkOptionNames, defined, readWholeNumber } from '@quartermaster/core/internal';
import { createEmbeddedSearcher } from '@quartermaster/semantic';

/** Options of `createSearch`. */
export interface CreateSearchOptions {
  /** The search engine, created once for each set of tools. @default hybrid with the embedded model */
  readonly searcher?: (snapshot: Snapshot) => Searcher;
  /** The tools as passed to `ai`, so that parameters can be searched too: `ai` itself passes names and descriptions only. */
  readonly tools?: Readonly<Record<string, object>>;
  /** The maximum number of tools, 1 to 50. @default 5 */
  readonly limit?: number;
}

/** What `toolSearch` calls for each search. */
export type AiSdkSearch = (question: {
  readonly query: string;
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
}) => Promise<string[]>;

/** How many indexed sets of tools are cached. */
const MOST_SETS = 8;

/** A `search` for the AI SDK's own `toolSearch({ search })`: names of matching tools, best first; none if nothing fits. */
export function createSearch(options: CreateSearchOptions = {}): AiSdkSearch {
  checkOptionNames('createSearch', options, 'searcher tools limit');
  if (options.limit !== undefined) readWholeNumber('limit', options.limit);
  const { limit, searcher: makeSearcher = createEmbeddedSearcher } = options;
  const known = knownTools(options.tools);
  const kept = new BoundedMap<string, Searcher>(MOST_SETS);
  return async ({ query, tools }) => {
    const key = JSON.stringify(tools);
    let searcher = kept.get(key);
    if (searcher === undefined) {
      const catalog = tools.map(({ name, description = '' }) => {
        const { schema } = known.get(name) ?? {};
        return createTool({ name, description, ...defined({ schema }) });
      });
      searcher = makeSearcher(createSnapshot(catalog, { nameTemplate: NAME_TEMPLATES.plain }));
      kept.set(key, searcher);
    }
    const result = await searcher.search({ query, ...defined({ limit }) });
    return result.verdict === 'none' ? [] : result.hits.map((hit) => hit.tool.name);
  };
}

/** By name. The SDK's schemas hide their JSON behind `jsonSchema`. */
function knownTools(tools: Readonly<Record<string, object>> | undefined): ReadonlyMap<string, Tool> {
  if (tools === undefined) return new Map();
  return new Map(parseTools(tools, { format: 'ai-sdk' }).tools.map((tool) => [tool.name, tool]));
}
