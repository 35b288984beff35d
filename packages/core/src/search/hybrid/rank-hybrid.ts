import type { Snapshot } from '../../catalog/index.ts';
import { FeatureReader, type QueryRanker, type QueryRanking, type Ranking } from '../bm25/index.ts';
import { parseQuery, removeOperators } from '../query/index.ts';
import { cosine, nearBySigns, type StaticEmbedder, type VectorIndex } from '../semantic/index.ts';
import { FUNCTION_WORDS, foldText, nameKey, TokenKind, tokenize } from '../text/index.ts';
import type { HybridFeatures, HybridSettings, HybridWeights } from './hybrid-options.ts';
import { judgeFit } from './judge-fit.ts';
import { type ClauseFit, type HybridRanking, orderByIntent, type Rated } from './order-by-intent.ts';
import { splitClauses } from './split-clauses.ts';
import { weighFeatures } from './weigh-features.ts';

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
const POOL = { terms: 64, meaning: 64, clauseTerms: 12, clauseMeaning: 10 } as const;

/** Below this cosine two texts have nothing in common but chance. */
const LEAST_MEANING = 0.1;

/** How many sign neighbours are looked at in full for each one that is wanted. */
const SIGN_SLACK = 3;

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
  readonly #reader: FeatureReader;
  readonly #serverKeys: readonly string[];

  constructor(parts: HybridRankerParts) {
    this.#parts = parts;
    this.#reader = new FeatureReader(parts.lexical.index);
    const keys = new Map(parts.snapshot.servers.map((server) => [server, nameKey(server)]));
    this.#serverKeys = parts.snapshot.tools.map((tool) => keys.get(tool.server ?? '') ?? '');
  }

  /** @param whole whether every tool that has anything in common with the query is ranked, not only the likely ones */
  rank(query: string, accept: Accept, whole = false): HybridAnswer {
    const { lexical: ranker, settings, snapshot } = this.#parts;
    const lexical = ranker.rank(query, accept, whole ? snapshot.tools.length : POOL.terms);
    if (lexical.isSelection) {
      const rankings = lexical.rankings.map(withoutFeatures);
      return { text: '', rated: [], weights: settings.weights, rankings, confidence: 1 };
    }
    const text = this.#correct(removeOperators(parseQuery(query).text, lexical.applied), lexical);
    const allowed = this.#narrow(lexical, accept);
    const request = this.#read(text, lexical, allowed);
    const tools = this.#candidates(request, lexical, allowed, whole);
    const rated = this.#rate(request, lexical, tools);
    return {
      text,
      rated,
      weights: settings.weights,
      rankings: orderByIntent(rated, settings.intentWeight),
      confidence: judge(request, rated),
    };
  }

  #narrow(lexical: QueryRanking, accept: Accept): Accept {
    if (lexical.applied.length === 0) return accept;
    const { lexical: ranker } = this.#parts;
    return (tool) => lexical.applied.every((operator) => ranker.satisfies(operator, tool)) && accept?.(tool) !== false;
  }

  /** The text with misspelt words as the catalog spells them: those that neither the catalog nor the embedder knows. */
  #correct(text: string, { plan }: QueryRanking): string {
    const { embedder, lexical } = this.#parts;
    const spelt = new Map<string, { readonly list: number; readonly weight: number }>();
    for (const { list, reasons } of plan.lists) {
      for (const { word, match, weight } of reasons) {
        // Lists beyond the terms are those of stems, which are no words.
        if (match !== 'typo' || list >= lexical.index.terms.size || embedder.knows(word)) continue;
        if (weight > (spelt.get(word)?.weight ?? 0)) spelt.set(word, { list, weight });
      }
    }
    if (spelt.size === 0) return text;
    return text.replace(WORD, (word) => {
      const right = spelt.get(foldText(word).toLowerCase());
      return right === undefined ? word : lexical.index.terms.text(right.list);
    });
  }

  #read(text: string, lexical: QueryRanking, allowed: Accept): Request {
    const { embedder, lexical: ranker } = this.#parts;
    const clauses = lexical.plan.hasWords ? splitClauses(text) : [];
    const { mass } = lexical.plan;
    return {
      key: nameKey(text),
      vector: embedder.query(text),
      knownShare: mass > 0 ? mass / (mass + this.#unknownMass(text)) : 0,
      clauses: clauses.map((clause) => {
        const answer = ranker.rank(clause, allowed, POOL.clauseTerms);
        const best = answer.rankings.reduce((most, ranking) => Math.max(most, sumOf(ranking)), 0);
        return { answer, best: Math.max(best, Number.MIN_VALUE), vector: embedder.query(clause) };
      }),
    };
  }

  /** In the order in which they were come by, each once. */
  #candidates(request: Request, lexical: QueryRanking, allowed: Accept, whole: boolean): readonly number[] {
    const found = new Set(lexical.rankings.map(({ tool }) => tool));
    if (!lexical.plan.hasWords) return [...found];
    const wanted = whole ? this.#parts.snapshot.tools.length : POOL.meaning;
    for (const tool of this.#nearest(request.vector, wanted, allowed)) found.add(tool);
    for (const { answer, vector } of request.clauses) {
      for (const { tool } of answer.rankings.slice(0, POOL.clauseTerms)) found.add(tool);
      for (const tool of this.#nearest(vector, POOL.clauseMeaning, allowed)) found.add(tool);
    }
    return [...found];
  }

  #nearest(vector: Float32Array, wanted: number, allowed: Accept): number[] {
    if (vector.every((component) => component === 0)) return [];
    const { vectors } = this.#parts;
    return nearBySigns(vectors, vector, wanted * SIGN_SLACK, allowed)
      .map((tool) => ({ tool, nearness: cosine(vectors, vector, tool) }))
      .filter(({ nearness }) => nearness >= LEAST_MEANING)
      .sort((left, right) => right.nearness - left.nearness || left.tool - right.tool)
      .slice(0, wanted)
      .map(({ tool }) => tool);
  }

  #rate(request: Request, lexical: QueryRanking, tools: readonly number[]): Rated[] {
    const { lexical: ranker, settings } = this.#parts;
    const known = new Map(lexical.rankings.map((ranking) => [ranking.tool, ranking]));
    // Of those that are not named: a name's own score would put everything else in its shade.
    const best = Math.max(bestOf(lexical.rankings, 'terms'), bestOf(lexical.rankings, 'substring'), Number.MIN_VALUE);
    const bestSum = lexical.rankings.reduce((most, ranking) => Math.max(most, sumOf(ranking)), Number.MIN_VALUE);
    this.#reader.open(lexical.plan);
    const trust = this.#trust(request, lexical);
    return tools.map((tool) => {
      const ranking = known.get(tool);
      // Outside the lexical pool only the sum of the terms is known.
      const terms =
        ranking === undefined
          ? ranker.sumTerms(lexical.plan, tool) / bestSum
          : Math.min(MOST_TERMS, termsOf(ranking) / best);
      const clauses = request.clauses.map((clause) => ({
        meaning: this.#meaning(clause.vector, tool),
        terms: (trust * ranker.sumTerms(clause.answer.plan, tool)) / clause.best,
      }));
      const features = this.#features({ request, lexical, tool, terms, clauses, trust });
      return {
        tool,
        bonus: ranking?.kind === 'name' ? ranking.bonus : 0,
        base: weighFeatures(features, settings.weights),
        features,
        clauses,
      };
    });
  }

  /**
   * How far the lexical scores can be trusted: they are shares of the best one, and where even the best has next to nothing
   * of the request (the "in" of "will it rain in Lisbon") it must not count as much as a full match.
   */
  #trust(request: Request, lexical: QueryRanking): number {
    const covered = lexical.rankings
      .slice(0, TRUSTED_TOOLS)
      .reduce((most, { tool }) => Math.max(most, this.#reader.readCoverage(tool)), 0);
    return lexical.plan.hasKnownWord ? Math.min(1, (request.knownShare * covered) / TRUSTED_COVERAGE) : 1;
  }

  #features(of: {
    readonly request: Request;
    readonly lexical: QueryRanking;
    readonly tool: number;
    readonly terms: number;
    readonly clauses: readonly ClauseFit[];
    readonly trust: number;
  }): HybridFeatures {
    const { lexical, tool, terms, clauses, request, trust } = of;
    const { nameCoverage, bigrams } = this.#reader.read(tool);
    const meaning = this.#meaning(request.vector, tool);
    const server = this.#serverKeys[tool] ?? '';
    return {
      meaning,
      clauseMeaning: clauses.length === 0 ? meaning : Math.max(...clauses.map((clause) => clause.meaning)),
      terms,
      clauseTerms: clauses.length === 0 ? terms : Math.max(...clauses.map((clause) => clause.terms)),
      coverage: trust * this.#reader.readCoverage(tool),
      bigrams: lexical.plan.mass > 0 ? bigrams / lexical.plan.mass : 0,
      nameCoverage,
      serverNamed: server !== '' && request.key.includes(server) ? 1 : 0,
      embedded: 0,
    };
  }

  #meaning(vector: Float32Array, tool: number): number {
    return Math.max(0, cosine(this.#parts.vectors, vector, tool));
  }

  /** What the words that no tool has would weigh if they were the rarest in the catalog. */
  #unknownMass(text: string): number {
    const { index } = this.#parts.lexical;
    const words = new Set<string>();
    for (const token of tokenize(text)) {
      if (token.kind === TokenKind.word && !GRAMMAR.has(token.text) && !NUMBER.test(token.text)) words.add(token.text);
    }
    let unknown = 0;
    for (const word of words) {
      if (index.listLength(index.stemListOf(word)) === 0) unknown += 1;
    }
    return unknown * Math.log(1 + index.toolCount);
  }
}

interface Request {
  readonly key: string;
  readonly vector: Float32Array;
  /** How much of the request, by idf, the catalog has words for. */
  readonly knownShare: number;
  readonly clauses: readonly Clause[];
}

interface Clause {
  readonly answer: QueryRanking;
  /** The best sum of terms that any tool has for it. */
  readonly best: number;
  readonly vector: Float32Array;
}

/** How likely it is that the request fits one of the tools. */
function judge(request: Request, rated: readonly Rated[]): number {
  const { knownShare } = request;
  return rated.reduce((most, { bonus, features: { meaning, coverage, bigrams } }) => {
    if (bonus > 0) return 1;
    return Math.max(most, judgeFit({ meaning, coverage: coverage * knownShare, bigrams: bigrams * knownShare }));
  }, 0);
}

function withoutFeatures(ranking: Ranking): HybridRanking {
  return { tool: ranking.tool, score: ranking.score, bonus: ranking.score, base: 0, intent: 0, features: NO_FEATURES };
}

function termsOf(ranking: Ranking): number {
  return ranking.kind === 'name' ? ranking.score - ranking.bonus : ranking.score;
}

function bestOf(rankings: readonly Ranking[], kind: Ranking['kind']): number {
  return rankings.reduce((most, ranking) => (ranking.kind === kind ? Math.max(most, ranking.score) : most), 0);
}

function sumOf(ranking: Ranking): number {
  return ranking.kind === 'terms' ? ranking.sum : 0;
}

/** From this share of the request on, the best lexical tool is a match in full. */
const TRUSTED_COVERAGE = 0.2;
const TRUSTED_TOOLS = 8;
/** A named tool may have far more than the others; past this it only hides what the other features say. */
const MOST_TERMS = 2;
const NO_FEATURES: HybridFeatures = {
  meaning: 0,
  clauseMeaning: 0,
  terms: 0,
  clauseTerms: 0,
  coverage: 0,
  bigrams: 0,
  nameCoverage: 0,
  serverNamed: 0,
  embedded: 0,
};
const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);
const NUMBER = /^\d+$/;
const WORD = /[\p{L}\p{N}]+/gu;
