import type { Snapshot } from '../../catalog/index.ts';
import type { QueryRanker, QueryRanking, Ranking } from '../bm25/index.ts';
import { parseQuery, removeOperators } from '../query/index.ts';
import { createVectorScan, type StaticEmbedder, type VectorIndex, type VectorScan } from '../semantic/index.ts';
import { type HybridSettings, type HybridWeights, NO_FEATURES } from './hybrid-options.ts';
import { CLAUSE_TERMS, type HybridRequest, readRequest } from './hybrid-request.ts';
import { judgeFit } from './judge-fit.ts';
import { nearestTools } from './nearest-tools.ts';
import { type HybridRanking, orderByIntent, type Rated } from './order-by-intent.ts';
import { ToolRater } from './rate-tools.ts';

export interface HybridAnswer {
  /** The request without its operators; empty for a `select:` of names, where nothing else counts. */
  readonly text: string;
  readonly rated: readonly Rated[];
  /** What the features were weighed with. */
  readonly weights: HybridWeights;
  /** Best first; the order of their scores. */
  readonly rankings: readonly HybridRanking[];
  /** How likely it is that something fits, 0 to 1. */
  readonly confidence: number;
}

/** How many tools of each kind are weighed: the best by their words, and the nearest by meaning. */
const POOL = { terms: 64, meaning: 64, clauseTerms: CLAUSE_TERMS, clauseMeaning: 10 } as const;

interface HybridRankerParts {
  readonly snapshot: Snapshot;
  readonly lexical: QueryRanker;
  readonly vectors: VectorIndex;
  readonly embedder: StaticEmbedder;
  readonly settings: HybridSettings;
}

type Accept = ((tool: number) => boolean) | undefined;

/** Ranks tools by words and by meaning, for one query at a time. */
export class HybridRanker {
  readonly #parts: HybridRankerParts;
  readonly #scan: VectorScan;
  readonly #rater: ToolRater;

  constructor(parts: HybridRankerParts) {
    const { snapshot, lexical, vectors } = parts;
    this.#parts = parts;
    this.#scan = createVectorScan(vectors);
    this.#rater = new ToolRater({ snapshot, lexical, scan: this.#scan });
  }

  /** @param whole whether every tool that has anything in common with the query is ranked, not only the likely ones */
  rank(query: string, accept: Accept, whole = false): HybridAnswer {
    const { lexical: ranker, embedder, settings, snapshot } = this.#parts;
    const lexical = ranker.rank(query, accept, whole ? snapshot.tools.length : POOL.terms);
    if (lexical.isSelection) {
      const rankings = lexical.rankings.map(withoutFeatures);
      return { text: '', rated: [], weights: settings.weights, rankings, confidence: 1 };
    }
    const allowed = this.#narrow(lexical, accept);
    const text = removeOperators(parseQuery(query).text, lexical.applied);
    const request = readRequest(text, lexical, { ranker, embedder, allowed });
    const weights = request.clauses.length === 0 ? settings.oneClauseWeights : settings.weights;
    const tools = this.#candidates(request, lexical, allowed, whole);
    const rated = this.#rater.rate({ request, lexical, tools, weights });
    return {
      text: request.text,
      rated,
      weights,
      rankings: orderByIntent(rated, settings.intentWeight),
      confidence: judge(request, rated),
    };
  }

  #narrow(lexical: QueryRanking, accept: Accept): Accept {
    if (lexical.applied.length === 0) return accept;
    const { lexical: ranker, snapshot } = this.#parts;
    return askOnce(snapshot.tools.length, (tool) => {
      return lexical.applied.every((operator) => ranker.satisfies(operator, tool)) && accept?.(tool) !== false;
    });
  }

  /** In catalog order, each once. */
  #candidates(request: HybridRequest, lexical: QueryRanking, allowed: Accept, whole: boolean): Uint32Array {
    const found = new Set(lexical.rankings.map(({ tool }) => tool));
    if (lexical.plan.hasWords) {
      const wanted = whole ? this.#parts.snapshot.tools.length : POOL.meaning;
      for (const tool of nearestTools(this.#scan, request.vector, { wanted, allowed })) found.add(tool);
      for (const { answer, vector } of request.clauses) {
        for (const { tool } of answer.rankings.slice(0, POOL.clauseTerms)) found.add(tool);
        const near = nearestTools(this.#scan, vector, { wanted: POOL.clauseMeaning, allowed });
        for (const tool of near) found.add(tool);
      }
    }
    return Uint32Array.from(found).sort();
  }
}

/** Remembers the answer for each tool: every clause of a request asks about all of them. */
function askOnce(count: number, accept: (tool: number) => boolean): (tool: number) => boolean {
  const answers = new Int8Array(count);
  return (tool) => {
    if (answers[tool] === 0) answers[tool] = accept(tool) ? 1 : -1;
    return answers[tool] === 1;
  };
}

/** How likely it is that the request fits one of the tools. */
function judge({ knownShare }: HybridRequest, rated: readonly Rated[]): number {
  return rated.reduce((most, { bonus, features: { meaning, coverage, bigrams } }) => {
    if (bonus > 0) return 1;
    return Math.max(most, judgeFit({ meaning, coverage: coverage * knownShare, bigrams: bigrams * knownShare }));
  }, 0);
}

function withoutFeatures(ranking: Ranking): HybridRanking {
  return { tool: ranking.tool, score: ranking.score, bonus: ranking.score, base: 0, intent: 0, features: NO_FEATURES };
}
