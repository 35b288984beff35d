import { createSnapshot, type Searcher, type SearchResult, type Tool } from '@quartermaster/core';
import {
  checkOptionNames,
  checkRequest,
  defined,
  nameKey,
  queriesOf,
  readNameStems,
  stemOf,
  unaskedQueries,
} from '@quartermaster/core/internal';
import {
  buildVectorIndex,
  createHybridSearcher,
  type HybridSearcherOptions,
  type SearchRequest,
  type SliceOptions,
  type WholeCatalog,
} from '@quartermaster/core/search';
import { type CatalogFigures, type IndexedTool, TERM, type ToolIndex } from '../../store/index.ts';
import { planCandidates, TermCache } from './plan-candidates.ts';

/** Options of a searcher over PostgreSQL. */
export interface PostgresSearcherOptions extends Pick<HybridSearcherOptions, 'reranker' | 'leastConfidence'> {
  readonly slices?: SliceOptions;
  /** Milliseconds. @default the system's clock */
  readonly now?: () => number;
}

/**
 * Search over a catalog that is indexed in PostgreSQL: the database finds candidates by words and by meaning, and the hybrid engine
 * ranks them as it would among all tools of the catalog. The process holds only a few figures of the catalog.
 */
export function createPostgresSearcher(
  index: ToolIndex,
  catalog: string,
  options: PostgresSearcherOptions = {},
): Searcher {
  checkOptionNames('createPostgresSearcher', options, 'reranker leastConfidence slices now');
  const { now = () => performance.now(), reranker, leastConfidence, slices } = options;
  const { embedder } = index;
  let view: View | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  async function open(): Promise<View | undefined> {
    const at = now();
    if (at - readAt < FRESH_MS) return view;
    const figures = await index.figures(catalog);
    readAt = at;
    if (figures === undefined) view = undefined;
    else if (figures.number !== view?.catalog.number || figures.revision !== view.catalog.revision) {
      view = { catalog: figures, terms: new TermCache(index, figures) };
    }
    return view;
  }

  /** The tools that can answer any of the queries. */
  async function findCandidates(opened: View, request: SearchRequest, depth: number): Promise<readonly IndexedTool[]> {
    const numbers = new Set<number>();
    for (const one of queriesOf(request)) {
      const parts = { index, ...opened };
      const plan = await planCandidates(one, parts, { depth, hasOperators: true });
      const found = await index.find(opened.catalog, plan);
      const isNarrowed =
        plan.anyOf.length + plan.allOf.length > 0 || (plan.nameKeys.length > 0 && plan.values.length === 0);
      // No tool satisfies all its operators: it is read as plain words.
      const asPlain = { depth, hasOperators: false };
      const more =
        found.length > 0 || !isNarrowed
          ? found
          : await index.find(opened.catalog, await planCandidates(asWords(one), parts, asPlain));
      for (const number of more) numbers.add(number);
    }
    return numbers.size === 0 ? [] : await index.fetch(opened.catalog, [...numbers]);
  }

  /** The engine over candidates, which rates them as parts of the whole catalog. */
  async function rank({ catalog: figures, terms }: View, candidates: readonly IndexedTool[]): Promise<Searcher> {
    const tools = candidates.map(({ tool }) => tool);
    await terms.load(tools.flatMap(ratedTerms));
    return createHybridSearcher(createSnapshot(tools), {
      ...defined({ reranker, leastConfidence, slices }),
      embedder,
      vectors: buildVectorIndex(tools.length, embedder.dimensions, (at) => (candidates[at] as IndexedTool).vector),
      whole: wholeOf(figures, terms),
    });
  }

  return {
    engine: 'hybrid',
    byteLength: () => OBJECT_BYTES,
    async search(request) {
      const limit = checkRequest(request);
      const opened = await open();
      let result: SearchResult = { hits: [], verdict: 'none', confidence: 0, ...unaskedQueries(request.query) };
      if (opened === undefined) return result;
      let looked = -1;
      for (const depth of DEPTHS) {
        const tools = await findCandidates(opened, request, depth);
        if (tools.length <= looked) break;
        looked = tools.length;
        request.signal?.throwIfAborted();
        result = await (await rank(opened, tools)).search(request);
        if (request.allow === undefined || result.hits.length >= limit || looked === opened.catalog.toolCount) break;
      }
      return result;
    },
    async explain(request, tool) {
      checkRequest(request);
      const opened = await open();
      const known = opened === undefined ? undefined : await index.get(opened.catalog, tool.id);
      if (opened === undefined || known === undefined || known.tool.id !== tool.id) return { kind: 'not-in-catalog' };
      const tools = await findCandidates(opened, request, 1);
      const all = tools.some(({ number }) => number === known.number) ? tools : [...tools, known];
      return (await rank(opened, all)).explain(request, known.tool);
    },
  };
}

/** About how much the figures of a catalog and the counts of some terms take. */
const OBJECT_BYTES = 2 * 1024 ** 2;
/** How long the figures of a catalog are cached. */
const FRESH_MS = 1_000;
/** If a caller may not see most of the candidates, the search looks at this many times as many before it gives up. */
const DEPTHS = [1, 4, 16] as const;

interface View {
  readonly catalog: CatalogFigures;
  readonly terms: TermCache;
}

/** `select:` without effect is a word like any other. */
function asWords(query: string): string {
  return query.replace(/^\s*select:/i, '');
}

/** What rating a tool needs besides the words of the query. */
function ratedTerms(tool: Tool): string[] {
  const stems = readNameStems(tool).map(TERM.stem);
  return tool.server === undefined ? stems : [...stems, TERM.server(nameKey(tool.server))];
}

function wholeOf(catalog: CatalogFigures, terms: TermCache): WholeCatalog {
  const { toolCount, fieldLengths, vectorSum } = catalog;
  // A candidate's word that was not counted is neither common nor unique.
  const usual = 1 + toolCount / 1_000;
  return {
    toolCount,
    averageLengths: fieldLengths.map((sum) => sum / Math.max(1, toolCount) || 1),
    vectors: { count: toolCount, sum: vectorSum },
    countStem: (stem) => terms.count(TERM.stem(stem)) ?? usual,
    countWord(word) {
      const stem = stemOf(word);
      return terms.count(stem === word ? TERM.stem(stem) : TERM.word(word)) ?? usual;
    },
    countServer: (server) => terms.count(TERM.server(nameKey(server))) ?? 1,
  };
}
