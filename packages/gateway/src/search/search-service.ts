import { setImmediate } from 'node:timers/promises';
import { createSnapshot, type Searcher, type SearchResult, type Snapshot, type Tool } from '@quartermaster/core';
import { createTool, NAME_TEMPLATES, SNAPSHOT_DEFAULTS } from '@quartermaster/core/catalog';
import { PatternError } from '@quartermaster/core/errors';
import { snapshotTokens } from '@quartermaster/core/gate';
import { createSnapshotInSteps, defined, readAhead, runInSlices } from '@quartermaster/core/internal';
import { type Hit, SEARCH_LIMITS } from '@quartermaster/core/search';
import type { SearchEngineName } from '@quartermaster/host/search';
import { ByteCache, catalogsKey, type MemoryBudget } from '../catalogs/index.ts';
import { ApiError } from '../http/index.ts';
import type { SearchEngines } from './search-engines.ts';
import type { CatalogSearchRequest, EvaluationRequest } from './search-request.ts';

/** Tools to search, and what identifies them. */
export interface SearchableTools {
  /** Identifies the content: the same hash returns the same index. Without it nothing is kept. */
  readonly hash?: string;
  readonly tools: readonly Tool[];
  /** The length of the definitions as text. */
  readonly bytes: number;
  /** Who searches, for its share of the memory. @default '' */
  readonly owner?: string;
}

/** A catalog that is searched in its index: its tools are not here. */
export interface IndexedTools {
  readonly searcher: Searcher;
  /** The number of all tools, if the caller may see all. */
  readonly toolCount?: number | undefined;
  /** What the caller may see. @default everything */
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

/** Search without a model: the gateway's engines, used directly. */
export interface SearchService {
  search(tools: SearchableTools | IndexedTools, request: CatalogSearchRequest, signal: AbortSignal): Promise<object>;
  /** How many of the labelled requests are answered within the first one, three and five hits. */
  evaluate(tools: SearchableTools | IndexedTools, request: EvaluationRequest, signal: AbortSignal): Promise<object>;
}

export function createSearchService(options: {
  readonly engines: SearchEngines;
  readonly memory: MemoryBudget;
  readonly now: () => number;
}): SearchService {
  const { engines, now } = options;
  const known = new ByteCache<Indexed>(options.memory);
  const nameOf = (engine: SearchEngineName): string => (engine === 'auto' ? engines.configured : engine);

  async function indexed(
    { hash, tools, bytes, owner }: SearchableTools,
    drafts: ReadonlyMap<string, string>,
  ): Promise<Indexed> {
    const key = hash === undefined ? undefined : [hash, ...[...drafts].flat()].join('\n');
    const kept = key === undefined ? undefined : known.get(key);
    if (kept !== undefined) return kept;
    const snapshot = await runInSlices(
      createSnapshotInSteps(withDrafts(tools, drafts), {
        nameTemplate: NAME_TEMPLATES.proxy,
        maxTools: Math.max(SNAPSHOT_DEFAULTS.maxTools, tools.length),
        ...(hash === undefined || drafts.size > 0 ? {} : defined({ contentKey: catalogsKey([{ hash }]) })),
      }),
    );
    // Another request may have been first.
    const first = key === undefined ? undefined : known.get(key);
    if (first !== undefined) return first;
    const made = { key, snapshot, searchers: new Map<SearchEngineName, Searcher>() };
    if (key !== undefined) known.set(key, made, { bytes: bytesOf(made) + bytes, owner });
    return made;
  }

  /** Counts what has been built since. */
  function measure(index: Indexed): void {
    if (index.key !== undefined) known.resize(index.key, index, bytesOf(index));
  }

  function searcherOf({ snapshot, searchers }: Indexed, engine: SearchEngineName): Searcher {
    const searcher = searchers.get(engine) ?? engines.create(engine, snapshot);
    searchers.set(engine, searcher);
    return searcher;
  }

  async function compare(index: Indexed, request: CatalogSearchRequest, signal: AbortSignal): Promise<object> {
    const { maxQueryLength } = request;
    const [query = ''] = request.queries;
    const lists = request.compare.map(async (engine) => {
      const searcher = searcherOf(index, engine);
      const { hits } = await ask(searcher, { query, limit: SEARCH_LIMITS.max, maxQueryLength, signal });
      return [engine, hits.map(describeRank)] as const;
    });
    const compared = Object.fromEntries(await Promise.all(lists));
    measure(index);
    return compared;
  }

  /** A searcher over these tools, with what is known of them. */
  async function open(
    tools: SearchableTools | IndexedTools,
    { engine, drafts }: Pick<CatalogSearchRequest, 'engine' | 'drafts'>,
  ): Promise<OpenedTools> {
    if ('searcher' in tools) {
      const catalog = defined({ tool_count: tools.toolCount });
      return { searcher: allowed(tools), index: undefined, find: byName, catalog: () => catalog };
    }
    const index = await indexed(tools, drafts);
    const searcher = searcherOf(index, engine);
    await searcher.prepare?.();
    measure(index);
    const { snapshot } = index;
    return {
      ...{ searcher, index, find: async (why) => findIn(snapshot, why) },
      catalog: () => ({ tool_count: snapshot.tools.length, tokens: snapshotTokens(snapshot).total }),
    };
  }

  return {
    async search(tools, request, signal) {
      const { searcher, index, find, catalog } = await open(tools, request);
      if (index !== undefined) await readAhead(index.snapshot);
      const { queries, limit, explain, maxQueryLength, why } = request;
      const startedAt = now();
      const results: SearchResult[] = [];
      for (const query of queries) {
        // A turn of the event loop for others between two of them.
        if (results.length > 0) await setImmediate();
        results.push(await ask(searcher, { query, limit, explain, maxQueryLength, signal }));
      }
      const tookMs = now() - startedAt;
      const standing = why === undefined ? undefined : await standingOf(searcher, request, await find(why, searcher));
      // Of an index elsewhere, names and tokens are computed only for hits.
      const snapshot = index?.snapshot ?? snapshotOfHits(results);
      return {
        type: 'search_result',
        engine: nameOf(request.engine),
        took_ms: Math.round(tookMs * 1000) / 1000,
        catalog: catalog(),
        results: results.map((result, at) => ({ query: queries[at], ...describeResult(result, snapshot, request) })),
        ...defined({ why: standing && { tool: why, ...standing } }),
        ...(index === undefined || request.compare.length === 0
          ? {}
          : { compared: await compare(index, request, signal) }),
      };
    },
    async evaluate(tools, request, signal) {
      const { searcher } = await open(tools, request);
      const outcomes: { query: string; tools: readonly string[]; rank: number | null; first: string | null }[] = [];
      const { cases, maxQueryLength } = request;
      for (const { query, tools: wanted } of cases) {
        await setImmediate();
        signal.throwIfAborted();
        const { hits } = await ask(searcher, { query, limit: EVALUATED, explain: false, maxQueryLength, signal });
        const rank = hits.findIndex(({ tool, also = [] }) => [tool, ...also].some(({ id }) => wanted.includes(id)));
        outcomes.push({ query, tools: wanted, rank: rank < 0 ? null : rank + 1, first: hits[0]?.tool.id ?? null });
      }
      const share = (within: number): number =>
        outcomes.filter(({ rank }) => rank !== null && rank <= within).length / outcomes.length;
      return {
        type: 'evaluation',
        engine: nameOf(request.engine),
        hit_at: { 1: share(1), 3: share(3), 5: share(5) },
        cases: outcomes,
      };
    },
  };
}

/** What is searched. */
interface OpenedTools {
  readonly searcher: Searcher;
  /** Undefined if the tools are not here. */
  readonly index: Indexed | undefined;
  /** A tool by its id or its name. */
  find(why: string, searcher: Searcher): Promise<Tool | undefined>;
  catalog(): object;
}

/** A tool by its id, or by the first match of its name. */
async function byName(why: string, searcher: Searcher): Promise<Tool> {
  const { hits } = await ask(searcher, { query: `select:${why.slice(0, LONGEST_NAME)}`, limit: 1 });
  return hits[0]?.tool ?? { ...createTool({ name: why }), id: why };
}

function findIn(snapshot: Snapshot, why: string): Tool | undefined {
  return snapshot.get(why) ?? snapshot.resolve(why) ?? snapshot.tools.find((one) => one.name === why);
}

function snapshotOfHits(results: readonly SearchResult[]): Snapshot {
  const found = results.flatMap(({ hits }) => hits.flatMap(({ tool, also = [] }) => [tool, ...also]));
  return createSnapshot(found, { nameTemplate: NAME_TEMPLATES.proxy, onDuplicate: 'first' });
}

const LONGEST_NAME = 512;

function allowed({ searcher, allow }: IndexedTools): Searcher {
  if (allow === undefined) return searcher;
  return {
    engine: searcher.engine,
    search: (request) => searcher.search({ ...request, allow }),
    explain: (request, tool) => searcher.explain({ ...request, allow }, tool),
  };
}

interface Indexed {
  readonly key: string | undefined;
  readonly snapshot: Snapshot;
  readonly searchers: Map<SearchEngineName, Searcher>;
}

function bytesOf({ snapshot, searchers }: Indexed): number {
  const indexes = [...searchers.values()].reduce((sum, searcher) => sum + (searcher.byteLength?.() ?? 0), 0);
  return LIST_BYTES + snapshot.tools.length * TOOL_BYTES + indexes;
}

/** The size of a snapshot, and of each tool in it. */
const LIST_BYTES = 8 * 1024;
const TOOL_BYTES = 1024;

/** How many hits an evaluation considers. */
const EVALUATED = 10;

function withDrafts(tools: readonly Tool[], drafts: ReadonlyMap<string, string>): readonly Tool[] {
  if (drafts.size === 0) return tools;
  const ids = new Set(tools.map(({ id }) => id));
  const missing = [...drafts.keys()].find((id) => !ids.has(id));
  if (missing !== undefined) throw new ApiError(400, `drafts: this catalog has no tool '${missing.slice(0, 200)}'`);
  return tools.map((tool) => {
    const description = drafts.get(tool.id);
    return description === undefined ? tool : { ...tool, description };
  });
}

/** A malformed pattern is the client's mistake, and the engine says where. */
async function ask(searcher: Searcher, request: Parameters<Searcher['search']>[0]): Promise<SearchResult> {
  try {
    return await searcher.search(request);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ApiError(400, error.message, { cause: error, details: { error_code: error.code } });
  }
}

async function standingOf(
  searcher: Searcher,
  { queries, limit, maxQueryLength }: CatalogSearchRequest,
  tool: Tool | undefined,
): Promise<object> {
  if (tool === undefined) return { standing: 'not-in-catalog' };
  const [query = ''] = queries;
  const { kind, ...standing } = await searcher.explain({ query, limit, maxQueryLength }, tool);
  return { tool: tool.id, standing: kind, ...standing };
}

function describeResult(
  { hits, verdict, confidence, unresolved }: SearchResult,
  snapshot: Snapshot,
  request: CatalogSearchRequest,
): object {
  return {
    verdict: verdict === 'none' ? 'no_match' : 'match',
    ...defined({ confidence, unresolved }),
    hits: hits.map((hit) => describeHit(hit, snapshot, request)),
  };
}

function describeRank({ tool, score }: Hit): object {
  const { id, server, name, description } = tool;
  return { tool: id, ...defined({ server }), name, description, score };
}

function describeHit(hit: Hit, snapshot: Snapshot, request: CatalogSearchRequest): object {
  const { tool, explanation, also } = hit;
  return {
    ...describeRank(hit),
    model_name: snapshot.modelName(tool),
    tokens: snapshotTokens(snapshot).byTool.get(tool) ?? 0,
    ...defined({ explanation }),
    ...(also === undefined ? {} : { also: also.map(({ id }) => id) }),
    ...(request.schema ? { input_schema: tool.schema, ...defined({ annotations: tool.extras.annotations }) } : {}),
  };
}
