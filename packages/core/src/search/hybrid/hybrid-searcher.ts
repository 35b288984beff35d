import { type Snapshot, searchText, type Tool } from '../../catalog/index.ts';
import { defined } from '../../catalog/internal.ts';
import { checkOptionNames } from '../../check-option-names.ts';
import { runInSlices, runToEnd, SharedBuild, type SliceOptions, stepThrough } from '../../slices.ts';
import {
  BM25_DEFAULTS,
  type Bm25SearcherOptions,
  createRanker,
  explainByWords,
  type QueryRanker,
  wordsOf,
} from '../bm25/index.ts';
import { createIndexKeeper, type IndexCache, type IndexKeeper } from '../kept/keep-index.ts';
import {
  acceptOf,
  checkRequest,
  entriesOf,
  queriesOf,
  type Served,
  serveInTurn,
  unaskedQueries,
} from '../query/read-request.ts';
import { type Reranker, UNREADABLE } from '../reranker/create-reranker.ts';
import type { Explanation, Hit, RerankerUse, Searcher, SearchRequest, SearchResult, Standing } from '../searcher.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import {
  buildMarkedVectorsInSteps,
  buildVectorIndexInSteps,
  keptVectors,
  type VectorIndex,
} from '../semantic/vector-index.ts';
import { explainHybrid, type HybridWeights, NO_FEATURES } from './features.ts';
import { HYBRID_DEFAULTS, type HybridOptions, type HybridSettings } from './hybrid-options.ts';
import { foldDuplicates, type HybridRanking, preferSuccessors } from './order-answer.ts';
import { type HybridAnswer, HybridRanker, type RankDepth } from './rank-hybrid.ts';
import { reconsiderAnswer } from './reconsider-answer.ts';
import type { WholeCatalog } from './whole-catalog.ts';

/** Options of a hybrid searcher. */
export interface HybridSearcherOptions extends HybridOptions {
  /** Embeds tools and requests. `@quartermaster/semantic` has one. */
  readonly embedder: StaticEmbedder;
  /**
   * The lexical half; an index built elsewhere can be passed in. @default an index built by `prepare`, or else on the first
   * search
   */
  readonly bm25?: Omit<Bm25SearcherOptions, 'slices' | 'cache'>;
  /** Vectors of the same tools in the same order, by the same embedder. @default built by `prepare`, or else on the first search */
  readonly vectors?: VectorIndex;
  /** How building the vectors and the index yields to other work. */
  readonly slices?: SliceOptions;
  /** Caches the vectors and the index by content. @default they are built each time */
  readonly cache?: IndexCache | undefined;
  /** The catalog that the tools are a part of, so that they are rated as they would be among all of its tools. @default they are all of it */
  readonly whole?: WholeCatalog | undefined;
  /** Reranks the best candidates; if it can't, the first ranking is used. @default none */
  readonly reranker?: Reranker;
}

/** Search by keywords and embeddings. Handles exact names and operators like the lexical engine, and can report that nothing fits. */
export function createHybridSearcher(snapshot: Snapshot, options: HybridSearcherOptions): Searcher {
  const names = 'embedder bm25 vectors slices cache whole reranker';
  checkOptionNames('createHybridSearcher', options, names, HYBRID_DEFAULTS);
  checkOptionNames('bm25', options.bm25 ?? {}, { ...BM25_DEFAULTS, index: true });
  const searcher = new HybridSearcher(snapshot, options);
  return {
    engine: 'hybrid',
    search: (request) => searcher.search(request),
    explain: (request, tool) => searcher.explain(request, tool),
    prepare: () => searcher.prepare(),
    byteLength: () => searcher.byteLength,
  };
}

/** An entry of the final list, and the query that it answers. */
type Answer = Served<HybridAnswer>;

/** The lists of all queries, and what the reranker had to do with them. */
interface Reranked {
  readonly answers: HybridAnswer[];
  readonly use?: RerankerUse;
}

/** An option for certain requests defaults to the one for all requests, if that is given. */
function settingsOf(options: HybridOptions): HybridSettings {
  const { weights, rerankedWeights, intentWeight } = options;
  const followers = {
    oneClauseWeights: weights,
    rerankedOneClauseWeights: rerankedWeights,
    rerankedIntentWeight: intentWeight,
  };
  return { ...HYBRID_DEFAULTS, ...defined(followers), ...options };
}

class HybridSearcher {
  readonly #snapshot: Snapshot;
  readonly #options: HybridSearcherOptions;
  readonly #settings: HybridSettings;
  /** From an index that was passed in. */
  readonly #given: QueryRanker | undefined;
  readonly #ranker: SharedBuild<HybridRanker>;
  readonly #words: ReturnType<typeof wordsOf>;
  readonly #keeper: IndexKeeper | undefined;
  /** Cached vectors. */
  #vectors: VectorIndex | undefined;

  constructor(snapshot: Snapshot, options: HybridSearcherOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
    this.#settings = settingsOf(options);
    const { index, ...tuning } = options.bm25 ?? {};
    const { cache, slices } = options;
    this.#keeper = createIndexKeeper(snapshot, cache, slices);
    this.#words = wordsOf(snapshot.tools, {
      keeper: this.#keeper,
      tuning: options.whole === undefined ? tuning : { ...tuning, statistics: options.whole },
    });
    this.#given = index === undefined ? undefined : createRanker(snapshot, index);
    const isAllGiven = this.#given !== undefined && options.vectors !== undefined;
    this.#ranker = new SharedBuild({
      load: this.#keeper === undefined ? undefined : () => this.#load(),
      steps: () => this.#buildInSteps(),
      slices,
      built: isAllGiven ? runToEnd(this.#buildInSteps()) : undefined,
    });
  }

  get byteLength(): number {
    return OBJECT_BYTES + (this.#ranker.built?.byteLength ?? this.#given?.byteLength ?? 0);
  }

  /** Vectors for the reranker are computed after that, and nothing waits for them: a search first embeds what it needs. */
  async prepare(): Promise<void> {
    await this.#ranker.wait();
    void this.#options.reranker?.prepare?.(this.#snapshot.tools);
  }

  async search(request: SearchRequest): Promise<SearchResult> {
    const limit = checkRequest(request);
    const ranker = this.#ranker.built ?? (await this.#ranker.wait(request.signal));
    const wanted = limit * DUPLICATE_SLACK;
    const { answers, use } = await this.#answers(request, ranker, wanted);
    const list = this.#inTurn(answers, wanted);
    const folded = foldDuplicates(list, limit, {
      tool: ({ ranking }) => this.#tool(ranking),
      position: ({ ranking }) => ranking.tool,
      vectors: ranker.vectors,
    });
    const hits = folded.map(
      ({ item, also }): Hit => ({
        tool: this.#tool(item.ranking),
        score: item.ranking.score,
        ...(request.explain === true
          ? { explanation: explainHybrid(item.ranking, item.served.weights, undefined) }
          : {}),
        ...(also.length > 0 ? { also: also.map(({ ranking }) => this.#tool(ranking)) } : {}),
      }),
    );
    const confidence = answers.reduce((most, answer) => {
      return answer.rankings.length === 0 ? most : Math.max(most, answer.confidence);
    }, 0);
    const fits = hits.length > 0 && confidence >= this.#settings.leastConfidence;
    const unresolved = [...new Set(answers.flatMap((answer) => answer.unresolved))];
    return {
      hits,
      verdict: fits ? 'match' : 'none',
      confidence,
      ...(unresolved.length === 0 ? undefined : { unresolved }),
      ...unaskedQueries(request.query),
      ...(use === undefined ? undefined : { reranker: use }),
    };
  }

  async explain(request: SearchRequest, tool: Tool): Promise<Standing> {
    const limit = checkRequest(request);
    const known = this.#snapshot.get(tool.id);
    if (known === undefined) return { kind: 'not-in-catalog' };
    if (request.allow?.(known) === false) return { kind: 'not-allowed' };
    const ranker = this.#ranker.built ?? (await this.#ranker.wait(request.signal));
    const { length: all } = this.#snapshot.tools;
    const { answers } = await this.#answers(request, ranker, all);
    const ranked = this.#inTurn(answers, all);
    const place = ranked.findIndex(({ ranking }) => this.#tool(ranking).id === known.id);
    const found = ranked[place] ?? (await this.#beyond(request, ranker, known));
    const lexical = explainByWords(request, known, { ranker: ranker.lexical, snapshot: this.#snapshot });
    if (found === undefined) {
      return lexical.kind === 'not-matched' && lexical.reason !== NO_WORD
        ? lexical
        : { kind: 'not-matched', reason: 'It has no word of the query and nothing of its meaning' };
    }
    const terms: Explanation | undefined = 'explanation' in lexical ? lexical.explanation : undefined;
    const explanation = explainHybrid(found.ranking, found.served.weights, terms);
    if (place < 0) return { kind: 'below-limit', rank: ranked.length + 1, explanation };
    return { kind: place < limit ? 'listed' : 'below-limit', rank: place + 1, explanation };
  }

  /** One list that serves each query in turn. */
  #inTurn(answers: readonly HybridAnswer[], wanted: number): readonly Answer[] {
    return preferSuccessors(serveInTurn(answers, wanted), {
      tool: ({ ranking }) => this.#tool(ranking),
      isNamed: ({ ranking }) => ranking.bonus > 0,
      before: liftTo,
    });
  }

  /** A list for each query. However many queries take turns, no more of a list is read than all together need. */
  async #answers(request: SearchRequest, ranker: HybridRanker, wanted: number): Promise<Reranked> {
    const { reranker } = this.#options;
    const first = await this.#rank(request, ranker, { wanted: Math.max(wanted, reranker?.depth ?? 0) });
    return reranker === undefined ? { answers: first } : await this.#rerank(first, reranker, request);
  }

  /** With several queries, other work runs between them. */
  async #rank(request: SearchRequest, ranker: HybridRanker, depth: RankDepth): Promise<HybridAnswer[]> {
    const accept = acceptOf(request, this.#snapshot);
    if (typeof request.query === 'string') return [ranker.rank(request.query, { accept, ...depth })];
    const queries = queriesOf(request);
    const answers: HybridAnswer[] = [];
    const steps = stepThrough(queries.length, (at) => {
      answers.push(ranker.rank(queries[at] as string, { accept, ...depth }));
      return at + 1;
    });
    await runInSlices(steps, { ...this.#options.slices, signal: request.signal });
    return answers;
  }

  /** Each request, and each of its clauses, against the best tools of the whole. */
  async #rerank(first: HybridAnswer[], reranker: Reranker, { signal }: SearchRequest): Promise<Reranked> {
    const clausesOf = ({ clauses }: HybridAnswer): readonly string[] =>
      reranker.readsClauses === false ? [] : clauses;
    const asked = first.flatMap((answer) => {
      const tools = answer.rankings.slice(0, reranker.depth).map((ranking) => this.#tool(ranking));
      return [answer.text, ...clausesOf(answer)].map((text) => ({ text, tools }));
    });
    if (asked.every(({ text, tools }) => text === '' || tools.length === 0)) return { answers: first };
    const compared = await reranker.compare(asked, signal);
    if (compared.kind === 'fallback') return { answers: first, use: { kind: 'fallback', reason: compared.reason } };
    let at = 0;
    let use: RerankerUse = { kind: 'used' };
    const answers = first.map((answer) => {
      const [cosines, ...clauses] = compared.cosines.slice(at, at + 1 + clausesOf(answer).length);
      at += 1 + clausesOf(answer).length;
      if (cosines !== undefined) {
        return reconsiderAnswer(answer, { cosines, clauses, fitModel: reranker.fitModel }, this.#settings);
      }
      if (answer.text !== '' && answer.rankings.length > 0) use = { kind: 'skipped', reason: UNREADABLE };
      return answer;
    });
    return { answers, use };
  }

  /** A tool that was too unlikely to be a candidate; its rank is somewhere after the candidates. */
  async #beyond(request: SearchRequest, ranker: HybridRanker, tool: Tool): Promise<Answer | undefined> {
    return (await this.#rank(request, ranker, { isWhole: true }))
      .flatMap(entriesOf)
      .find(({ ranking }) => this.#tool(ranking).id === tool.id);
  }

  #tool(ranking: HybridRanking): Tool {
    return this.#snapshot.tools[ranking.tool] as Tool;
  }

  async #load(): Promise<void> {
    const { embedder, vectors } = this.#options;
    const { length } = this.#snapshot.tools;
    if (vectors === undefined) this.#vectors = await this.#keeper?.load(keptVectors(length, embedder));
    if (this.#given === undefined) await this.#words.load();
  }

  /** Vectors and index are one piece of work: slices continue from one to the other. What was passed in or cached is not built. */
  *#buildInSteps(): Generator<void, HybridRanker> {
    const { embedder } = this.#options;
    const vectors = this.#options.vectors ?? this.#vectors ?? (yield* this.#buildVectors());
    this.#vectors = undefined;
    yield;
    const lexical = this.#given ?? (yield* this.#buildWords());
    yield;
    const ranker = new HybridRanker({
      snapshot: this.#snapshot,
      lexical,
      vectors,
      embedder,
      settings: this.#settings,
      whole: this.#options.whole,
    });
    // Those that wait for it search as soon as it is there, and all in one turn.
    yield;
    return ranker;
  }

  *#buildWords(): Generator<void, QueryRanker> {
    const index = yield* this.#words.build();
    yield;
    return createRanker(this.#snapshot, index);
  }

  /** Vectors of the same texts are reused from other catalogs: a server that lists one more tool costs one vector. */
  *#buildVectors(): Generator<void, VectorIndex> {
    const { embedder } = this.#options;
    const { tools } = this.#snapshot;
    const keeper = this.#keeper;
    const size = { count: tools.length, dimensions: embedder.dimensions };
    const vectorOf = (tool: number): Float32Array => embedder.tool(searchText(tools[tool] as Tool));
    if (keeper === undefined) return yield* buildVectorIndexInSteps(size, vectorOf);
    const part = keptVectors(tools.length, embedder);
    const marks = yield* keeper.markTools();
    const vectors = yield* buildMarkedVectorsInSteps(size, { marks, others: keeper.others(part), vectorOf });
    keeper.save(part, vectors);
    return vectors;
  }
}

/** The bonus for being moved before another tool is called a lift. */
function liftTo({ ranking, served }: Answer, { ranking: { score } }: Answer): Answer {
  const { tool, bonus, base, intent, sibling, features } = ranking;
  const lift = ranking.lift + score - ranking.score;
  return { ranking: { tool, score, bonus, base, intent, sibling, lift, features }, served };
}

/** The size of the objects around the arrays. */
const OBJECT_BYTES = 12 * 1024;

/** How many times the limit is ranked, so that folded duplicates leave no gap. */
const DUPLICATE_SLACK = 3;

const NO_WORD = 'It has no word of the query';

/** How a semantic searcher is made: as a hybrid one, without the weights. */
export type SemanticSearcherOptions = Omit<HybridSearcherOptions, Exclude<keyof HybridOptions, 'leastConfidence'>>;

/** Search by meaning alone: the hybrid with every other weight at 0, so that exact names and operators work as ever. */
export function createSemanticSearcher(snapshot: Snapshot, options: SemanticSearcherOptions): Searcher {
  const names = 'embedder bm25 vectors slices cache whole reranker leastConfidence';
  checkOptionNames('createSemanticSearcher', options, names);
  const searcher = createHybridSearcher(snapshot, {
    ...options,
    weights: MEANING_ALONE,
    rerankedWeights: { ...MEANING_ALONE, reranked: 1 },
    intentWeight: 0,
    siblingWeight: 0,
  });
  return { ...searcher, engine: 'semantic' };
}

const MEANING_ALONE: HybridWeights = { ...NO_FEATURES, meaning: 1 };
