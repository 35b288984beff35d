import type { Snapshot, Tool } from '../../catalog/index.ts';
import { checkOptionNames } from '../../check-option-names.ts';
import { QuartermasterError } from '../../errors.ts';
import { runInSlices, SharedBuild, type SliceOptions } from '../../slices.ts';
import { createIndexKeeper, type IndexCache, type IndexKeeper } from '../kept/keep-index.ts';
import {
  acceptOf,
  checkRequest,
  queriesOf,
  resolveLimit,
  type Served,
  serveInTurn,
  unaskedQueries,
} from '../query/read-request.ts';
import type { Hit, Searcher, SearchRequest, SearchResult, Standing } from '../searcher.ts';
import { BM25_DEFAULTS, type Bm25Options } from './bm25-options.ts';
import type { Bm25Index } from './index/bm25-index.ts';
import { type BuildOptions, buildBm25IndexInSteps } from './index/build-bm25-index.ts';
import { keptWords } from './index/kept-words.ts';
import { explainRanking } from './rank/explain-score.ts';
import { QueryRanker, type QueryRanking, type Ranking } from './rank/rank-query.ts';

/** Options of a BM25 searcher. */
export interface Bm25SearcherOptions extends Bm25Options {
  /** An index of the same tools in the same order, built elsewhere; its own settings then apply. @default built by `prepare`, or on the first search */
  readonly index?: Bm25Index;
  /** How building the index yields to other work. */
  readonly slices?: SliceOptions;
  /** Caches the index by its content, if it has the default settings. @default it is built each time */
  readonly cache?: IndexCache | undefined;
}

/**
 * Lexical search over the tools of a snapshot.
 *
 * @example
 * const { hits, verdict } = await createBm25Searcher(snapshot).search({ query: 'refund a payment', limit: 5 });
 */
export function createBm25Searcher(snapshot: Snapshot, options: Bm25SearcherOptions = {}): Searcher {
  checkOptionNames('createBm25Searcher', options, 'index slices cache', BM25_DEFAULTS);
  const { index, slices, cache, ...tuning } = options;
  const keeper = createIndexKeeper(snapshot, cache, slices);
  const words = wordsOf(snapshot.tools, { keeper, tuning });
  const sharedRanker = new SharedBuild({
    load: keeper === undefined ? undefined : words.load,
    *steps() {
      const built = yield* words.build();
      yield;
      const ranker = new QueryRanker(snapshot, built);
      // Those that wait for it search as soon as it is there.
      yield;
      return ranker;
    },
    slices,
    built: index === undefined ? undefined : createRanker(snapshot, index),
  });
  return {
    engine: 'bm25',
    search: (request) => search(request, sharedRanker, snapshot),
    explain: (request, tool) => explain(request, tool, sharedRanker, snapshot),
    async prepare() {
      await sharedRanker.wait();
    },
    byteLength: () => OBJECT_BYTES + (sharedRanker.built?.byteLength ?? 0),
  };
}

/** The index of these tools: from the cache, or built and then cached. */
export function wordsOf(
  tools: readonly Tool[],
  { keeper: given, tuning }: { readonly keeper: IndexKeeper | undefined; readonly tuning: BuildOptions },
): { load(): Promise<void>; build(): Generator<void, Bm25Index> } {
  const keeper = Object.keys(tuning).length > 0 ? undefined : given;
  const part = keptWords(tools);
  let loaded: Bm25Index | undefined;
  return {
    async load() {
      loaded = await keeper?.load(part);
    },
    *build() {
      if (loaded !== undefined) return loaded;
      if (keeper === undefined) return yield* buildBm25IndexInSteps(tools, tuning);
      const reuse = { marks: yield* keeper.markTools(), others: keeper.others(part) };
      const built = yield* buildBm25IndexInSteps(tools, { reuse });
      keeper.save(part, built);
      return built;
    },
  };
}

/** The size of the objects around the arrays. */
const OBJECT_BYTES = 8 * 1024;

/** Reads an index that was handed in. */
export function createRanker(snapshot: Snapshot, index: Bm25Index): QueryRanker {
  if (index.toolCount === snapshot.tools.length) return new QueryRanker(snapshot, index);
  throw new QuartermasterError(
    'invalid_index',
    `The index has ${index.toolCount} tools, but the snapshot has ${snapshot.tools.length}; rebuild it from this snapshot`,
    { context: { indexed: index.toolCount, tools: snapshot.tools.length } },
  );
}

/** As much of each query's list as an answer can use: however many queries take turns, none fills more than the list. */
function* rankInSteps(
  request: SearchRequest,
  ranker: QueryRanker,
  { snapshot, limit }: { readonly snapshot: Snapshot; readonly limit: number },
): Generator<void, QueryRanking[]> {
  const accept = acceptOf(request, snapshot);
  const served: QueryRanking[] = [];
  for (const text of queriesOf(request)) {
    if (served.length > 0) yield;
    served.push(ranker.rankBest(text, accept, limit));
  }
  return served;
}

async function search(
  request: SearchRequest,
  sharedRanker: SharedBuild<QueryRanker>,
  snapshot: Snapshot,
): Promise<SearchResult> {
  const limit = checkRequest(request);
  const ranker = sharedRanker.built ?? (await sharedRanker.wait(request.signal));
  const hits: Hit[] = [];
  const unresolved: string[] = [];
  if (typeof request.query === 'string') {
    const served = ranker.rankBest(request.query, acceptOf(request, snapshot), limit);
    for (let place = 0; place < limit && place < served.rankings.length; place += 1) {
      hits.push(toHit(request, ranker, snapshot, { ranking: served.rankings[place] as Ranking, served }));
    }
    unresolved.push(...served.unresolved);
  } else {
    const served = await runInSlices(rankInSteps(request, ranker, { snapshot, limit }), { signal: request.signal });
    for (const answer of serveInTurn(served, limit)) hits.push(toHit(request, ranker, snapshot, answer));
    unresolved.push(...served.flatMap((one) => one.unresolved));
  }
  const verdict = hits.length > 0 ? 'match' : 'none';
  if (typeof request.query === 'string' && unresolved.length === 0) return { hits, verdict };
  return {
    ...{ hits, verdict },
    ...(unresolved.length === 0 ? undefined : { unresolved: [...new Set(unresolved)] }),
    ...unaskedQueries(request.query),
  };
}

function toHit(
  request: SearchRequest,
  ranker: QueryRanker,
  snapshot: Snapshot,
  { ranking, served }: Served<QueryRanking>,
): Hit {
  const tool = snapshot.tools[ranking.tool] as Tool;
  const { score } = ranking;
  return request.explain === true
    ? { tool, score, explanation: explainRanking(ranker, served.plan, ranking, tool) }
    : new PlainHit(tool, score);
}

/** A class, because scores are sometimes whole numbers: V8 would look up the shape of a literal again for every hit. */
class PlainHit implements Hit {
  readonly tool: Tool;
  readonly score: number;

  constructor(tool: Tool, score: number) {
    this.tool = tool;
    this.score = score;
  }
}

async function explain(
  request: SearchRequest,
  tool: Tool,
  sharedRanker: SharedBuild<QueryRanker>,
  snapshot: Snapshot,
): Promise<Standing> {
  checkRequest(request);
  const known = snapshot.get(tool.id);
  if (known === undefined) return { kind: 'not-in-catalog' };
  if (request.allow?.(known) === false) return { kind: 'not-allowed' };
  const ranker = sharedRanker.built ?? (await sharedRanker.wait(request.signal));
  return explainByWords(request, known, { ranker, snapshot });
}

/** The rank by words of a tool that the caller may see. */
export function explainByWords(
  request: SearchRequest,
  tool: Tool,
  { ranker, snapshot }: { readonly ranker: QueryRanker; readonly snapshot: Snapshot },
): Standing {
  const accept = acceptOf(request, snapshot);
  const lists = queriesOf(request).map((text) => ranker.rank(text, accept, snapshot.tools.length));
  const all = serveInTurn(lists, snapshot.tools.length);
  const place = all.findIndex(({ ranking }) => snapshot.tools[ranking.tool]?.id === tool.id);
  const found = all[place];
  if (found === undefined) return { kind: 'not-matched', reason: reasonFor(request, tool, ranker, snapshot) };
  const explanation = explainRanking(ranker, found.served.plan, found.ranking, tool);
  const kind = place < resolveLimit(request.limit) ? 'listed' : 'below-limit';
  return { kind, rank: place + 1, explanation };
}

function reasonFor(request: SearchRequest, tool: Tool, ranker: QueryRanker, snapshot: Snapshot): string {
  const queries = queriesOf(request);
  const position = snapshot.tools.findIndex((other) => other.id === tool.id);
  const reasons = new Set(
    queries.map((query) => {
      const ranking = ranker.rank(query, undefined);
      if (ranking.isSelection) return 'The query selects other tools by name';
      const failed = ranking.applied.find((operator) => !ranker.test(operator)(position));
      if (failed !== undefined) {
        return failed.kind === 'server'
          ? `It is not a tool of the server "${failed.value}"`
          : `It does not have the required word "${failed.value}"`;
      }
      return ranking.plan.hasWords ? 'It has no word of the query' : 'The query has no words';
    }),
  );
  return reasons.size === 0 ? 'There is no query' : [...reasons].join('; ');
}
