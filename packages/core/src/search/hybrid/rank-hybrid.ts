import type { Snapshot, Tool } from '../../catalog/index.ts';
import type { QueryRanker, QueryRanking, Ranking } from '../bm25/index.ts';
import {
  CommonMeaning,
  createVectorScan,
  nearestTools,
  type StaticEmbedder,
  type VectorIndex,
  type VectorScan,
  vectorBytes,
} from '../semantic/index.ts';
import { type HybridWeights, NO_FEATURES, NO_RATED_TOOLS, type RatedTools } from './features.ts';
import type { HybridSettings } from './hybrid-options.ts';
import { type HybridRequest, readRequest } from './hybrid-request.ts';
import { type Judgement, judgeRated, namesExactly } from './judge-fit.ts';
import { FIT_MODEL } from './learned-weights.ts';
import { type HybridRanking, orderByIntent } from './order-answer.ts';
import { ToolRater } from './rate-tools.ts';
import type { WholeCatalog } from './whole-catalog.ts';

export interface HybridAnswer {
  /** The request without its operators; empty for a `select:` of names, where nothing else counts. */
  readonly text: string;
  /** Its clauses; none for a request of one. */
  readonly clauses: readonly string[];
  /** What is written like an operator and was read as plain words. */
  readonly unresolved: readonly string[];
  /** All that were weighed. */
  readonly rated: RatedTools;
  /** What the features were weighed with. */
  readonly weights: HybridWeights;
  /** As many as are wanted, best first; the order of their scores. */
  readonly rankings: readonly HybridRanking[];
  /** How likely it is that something fits, 0 to 1. */
  readonly confidence: number;
  /** What a second judgement is made from, once the reranker has scored it; absent for a selection, which always fits. */
  readonly judging?: Omit<Judgement, 'model' | 'cosine'>;
}

/** Chosen on held-out requests; see `OrderOptions`. */
const CHATTER_FIT = 2;

/** How many of the best by their words are looked at for a name, where all else says that nothing fits. */
const NAMES_POOL = 512;

/** How many tools of each kind are weighed: the best by their words, and the nearest by meaning. */
const POOL = { terms: 64, meaning: 64 } as const;

interface HybridRankerParts {
  readonly snapshot: Snapshot;
  readonly lexical: QueryRanker;
  readonly vectors: VectorIndex;
  readonly embedder: StaticEmbedder;
  readonly settings: HybridSettings;
  readonly whole?: WholeCatalog | undefined;
}

type Accept = ((tool: number) => boolean) | undefined;

export interface RankDepth {
  /** How many places are given at the most. @default one to each tool that is weighed */
  readonly wanted?: number;
  /** Whether every tool that has anything in common with the query is weighed, not only the likely ones. @default false */
  readonly isWhole?: boolean;
}

interface RankOptions extends RankDepth {
  /** Which tools may be ranked. @default all */
  readonly accept?: Accept;
}

/** Ranks tools by words and by meaning, for one query at a time. */
export class HybridRanker {
  readonly vectors: VectorIndex;
  readonly #parts: HybridRankerParts;
  readonly #scan: VectorScan;
  readonly #rater: ToolRater;

  constructor(parts: HybridRankerParts) {
    const { snapshot, lexical, vectors, whole } = parts;
    this.vectors = vectors;
    this.#parts = parts;
    this.#scan = createVectorScan(vectors);
    this.#rater = new ToolRater({
      ...{ snapshot, lexical, whole },
      scan: this.#scan,
      common: new CommonMeaning(whole?.vectors ?? vectors),
    });
  }

  /** Bytes of the index, the vectors and what reading them needs. */
  get byteLength(): number {
    return this.#parts.lexical.byteLength + vectorBytes(this.vectors) + this.#scan.byteLength + this.#rater.byteLength;
  }

  rank(query: string, { accept, wanted = Number.POSITIVE_INFINITY, isWhole = false }: RankOptions = {}): HybridAnswer {
    const { lexical: ranker, embedder, settings, snapshot } = this.#parts;
    const lexical = ranker.rank(query, accept, isWhole ? snapshot.tools.length : POOL.terms);
    if (lexical.isSelection) {
      const rankings = lexical.rankings.map(withoutFeatures);
      const { weights } = settings;
      const nothing = { text: '', clauses: [], unresolved: [], rated: NO_RATED_TOOLS };
      return { ...nothing, weights, rankings, confidence: 1 };
    }
    const request = readRequest(lexical, { ranker, embedder });
    const weights = request.clauses.length === 0 ? settings.oneClauseWeights : settings.weights;
    const tools = this.#candidates(request, lexical, isWhole);
    const rated = this.#rater.rate({ request, lexical, tools, weights });
    // Where the words mislead, the nearest by meaning is still in the answer.
    const kept = weights.meaning > 0 ? nearestBy(rated.features.meaning) : undefined;
    const judging = {
      rated,
      knownShare: request.knownShare,
      toolCount: ranker.index.catalogSize,
      least: settings.leastConfidence,
      namesExactly: once(() =>
        namesExactly(request.text, lexicalTools(ranker.rank(query, accept, NAMES_POOL), snapshot), embedder),
      ),
    };
    return {
      text: request.text,
      clauses: request.clauses.map((clause) => clause.text),
      unresolved: lexical.unresolved,
      rated,
      weights,
      rankings: orderByIntent(rated, { ...settings, chatterFit: CHATTER_FIT, wanted, kept }),
      confidence: judgeRated({ ...judging, model: FIT_MODEL }),
      judging,
    };
  }

  /**
   * In catalog order, each once. Clauses bring in nothing of their own: what one of them asks for is among the best for the
   * whole request, as far as any held-out request can tell.
   */
  #candidates({ vector }: HybridRequest, lexical: QueryRanking, isWhole: boolean): Uint32Array {
    const found = lexical.rankings.map(({ tool }) => tool);
    if (!lexical.plan.hasWords) return sortOnce(found);
    const wanted = isWhole ? this.#parts.snapshot.tools.length : POOL.meaning;
    return sortOnce([...found, ...nearestTools(this.#scan, vector, { wanted, allowed: lexical.accept })]);
  }
}

/** The first of the nearest; undefined where nothing is near. */
function nearestBy(meaning: Float64Array): number | undefined {
  let [nearest, most]: [number | undefined, number] = [undefined, 0];
  for (let at = 0; at < meaning.length; at += 1) {
    if ((meaning[at] as number) > most) [nearest, most] = [at, meaning[at] as number];
  }
  return nearest;
}

/** In ascending order, each once. */
function sortOnce(tools: readonly number[]): Uint32Array {
  const sorted = new Uint32Array(tools).sort();
  let size = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    if (at === 0 || sorted[at] !== sorted[size - 1]) sorted[size++] = sorted[at] as number;
  }
  return sorted.subarray(0, size);
}

/** The best by their words: one that has a word of the request in a name is among them. */
function* lexicalTools({ rankings }: QueryRanking, { tools }: Snapshot): Generator<Tool> {
  for (const { tool } of rankings) yield tools[tool] as Tool;
}

function once(ask: () => boolean): () => boolean {
  let answer: boolean | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

function withoutFeatures(ranking: Ranking): HybridRanking {
  const { tool, score } = ranking;
  return { tool, score, bonus: score, base: 0, intent: 0, sibling: 0, lift: 0, features: NO_FEATURES };
}
