import type { Snapshot, Tool } from '../../catalog/index.ts';
import { once } from '../../memoized.ts';
import type { Bm25Index, QueryPlan, QueryRanker, QueryRanking, Ranking } from '../bm25/index.ts';
import type { FitModel } from '../reranker/create-reranker.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import { type VectorIndex, vectorBytes } from '../semantic/vector-index.ts';
import {
  CommonMeaning,
  createVectorScan,
  nearestTools,
  type QueryVector,
  toQueryVector,
  type VectorScan,
} from '../semantic/vector-scan.ts';
import { foldText } from '../text/characters.ts';
import { GRAMMAR } from '../text/function-words.ts';
import { type HybridWeights, mapFeatures, NO_FEATURES } from './features.ts';
import type { HybridSettings } from './hybrid-options.ts';
import { namesExactly } from './names-exactly.ts';
import { type HybridRanking, orderByIntent } from './order-answer.ts';
import { type RatedTools, ToolRater } from './rate-tools.ts';
import type { WholeCatalog } from './whole-catalog.ts';

export interface HybridAnswer {
  /** The request without its operators; empty for `select:` with names, where nothing else counts. */
  readonly text: string;
  /** Its clauses; none for a request of one. */
  readonly clauses: readonly string[];
  /** Words written like operators that were read as plain words. */
  readonly unresolved: readonly string[];
  /** All that were weighed. */
  readonly rated: RatedTools;
  /** The weights of the features. */
  readonly weights: HybridWeights;
  /** As many as requested, best first. */
  readonly rankings: readonly HybridRanking[];
  /** How likely it is that something fits, 0 to 1. */
  readonly confidence: number;
  /** What the final judgement is made from after reranking; missing for `select:`, which always fits. */
  readonly judging?: Omit<Judgement, 'model' | 'cosine'>;
}

/** Chosen on held-out requests; see `OrderOptions`. */
const FILLER_FIT = 2;

/** How many of the best tools by keywords are checked for an exact name if everything else says "no match". */
const NAMES_POOL = 512;

/** How many candidates of each kind there are: the best by keywords, and the nearest by meaning. */
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
  /** The maximum number of places. @default one for each candidate */
  readonly wanted?: number;
  /** Whether every tool that has anything in common with the query is a candidate, not only the likely ones. @default false */
  readonly isWhole?: boolean;
}

interface RankOptions extends RankDepth {
  /** Which tools may be ranked. @default all */
  readonly accept?: Accept;
}

/** Ranks tools by keywords and by meaning, for one query at a time. */
export class HybridRanker {
  readonly vectors: VectorIndex;
  /** Ranks by words alone. */
  readonly lexical: QueryRanker;
  readonly #parts: HybridRankerParts;
  readonly #scan: VectorScan;
  readonly #rater: ToolRater;
  readonly #vectorBytes: number;

  constructor(parts: HybridRankerParts) {
    const { snapshot, lexical, vectors, whole } = parts;
    this.vectors = vectors;
    this.lexical = lexical;
    this.#parts = parts;
    this.#vectorBytes = vectorBytes(vectors);
    this.#scan = createVectorScan(vectors);
    this.#rater = new ToolRater({
      ...{ snapshot, lexical, whole },
      scan: this.#scan,
      common: new CommonMeaning(whole?.vectors ?? vectors),
    });
  }

  /** Bytes of the index, the vectors and the workspace for reading them. */
  get byteLength(): number {
    return this.#parts.lexical.byteLength + this.#vectorBytes + this.#scan.byteLength + this.#rater.byteLength;
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
    // If keywords mislead, the nearest tool by meaning is still in the answer.
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
      rankings: orderByIntent(rated, { ...settings, fillerFit: FILLER_FIT, wanted, kept }),
      confidence: judgeRated({ ...judging, model: FIT_MODEL }),
      judging,
    };
  }

  /**
   * In catalog order, each once. Clauses add no candidates: in all held-out requests, what a clause asks for was already among the
   * best for the whole request.
   */
  #candidates({ vector }: HybridRequest, lexical: QueryRanking, isWhole: boolean): Uint32Array {
    const found = lexical.rankings.map(({ tool }) => tool);
    if (!lexical.plan.hasWords) return sortOnce(found);
    const wanted = isWhole ? this.#parts.snapshot.tools.length : POOL.meaning;
    return sortOnce([...found, ...nearestTools(this.#scan, vector, { wanted, allowed: lexical.accept })]);
  }
}

/** `select:` with names needs no features. */
export const NO_RATED_TOOLS: RatedTools = {
  tools: new Uint32Array(0),
  bonuses: new Float64Array(0),
  bases: new Float64Array(0),
  features: mapFeatures(() => new Float64Array(0)),
  ownMeaning: new Float64Array(0),
  clauses: [],
  servers: new Uint32Array(0),
  closeness: new Float64Array(0),
};

/** The nearest tool; undefined if nothing is near. */
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

/** The best by keywords, including every tool that has a word of the request in its name. */
function* lexicalTools({ rankings }: QueryRanking, { tools }: Snapshot): Generator<Tool> {
  for (const { tool } of rankings) yield tools[tool] as Tool;
}

function withoutFeatures(ranking: Ranking): HybridRanking {
  const { tool, score } = ranking;
  return { tool, score, bonus: score, base: 0, intent: 0, sibling: 0, lift: 0, features: NO_FEATURES };
}

/**
 * The logistic model that decides whether anything fits, from the hybrid engine's evidence; `packages/semantic/training/ranker`
 * prints its numbers.
 */
export const FIT_MODEL: FitModel = { meaning: 8.96, bigrams: 3.99, cosine: 0, threshold: 3.45, perTenfold: 0.38 };

/** Evidence of whether anything in the catalog fits a request: one number for each tool that was rated. */
export interface FitEvidence {
  /** The cosine of the request, or of its best clause, without the component that all tools of the catalog share. */
  readonly meaning: Float64Array;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: Float64Array;
  /** How much of the request's words the catalog contains: words of no tool count as the rarest. */
  readonly knownShare: number;
  /** The reranker's cosine of the request or its best clause with the tool, 0 for one that it has not scored. @default all 0 */
  readonly cosine?: Float64Array | undefined;
  /** How many tools the catalog has. */
  readonly toolCount: number;
}

/**
 * The probability that something fits, from 0 to 1: a logistic model of the evidence, for the tool with the most of it.
 * No weight is negative, so more evidence never makes a fit less likely.
 */
export function judgeFit({ meaning, bigrams, knownShare, cosine, toolCount }: FitEvidence, model: FitModel): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < meaning.length; at += 1) {
    const sum =
      model.meaning * (meaning[at] as number) +
      model.bigrams * (bigrams[at] as number) * knownShare +
      model.cosine * Math.max(0, cosine?.[at] ?? 0);
    most = Math.max(most, sum);
  }
  return 1 / (1 + Math.exp(thresholdFor(toolCount, model) - most));
}

function thresholdFor(toolCount: number, { threshold, perTenfold = 0 }: FitModel): number {
  const size = Math.min(LARGEST, Math.max(USUAL, toolCount));
  return threshold + perTenfold * Math.log10(size / USUAL);
}

/** The largest catalog for which the threshold applies unchanged, and the largest one in the training data. */
const USUAL = 500;
const LARGEST = 10_000;

export interface Judgement extends Pick<FitEvidence, 'knownShare' | 'toolCount' | 'cosine'> {
  readonly rated: RatedTools;
  readonly model: FitModel;
  /** The probability below which nothing fits. */
  readonly least: number;
  /** Whether the request names something of a tool exactly. Computed only if everything else says that nothing fits. */
  readonly namesExactly: () => boolean;
}

/** The probability that one of the candidates fits the request; a tool that the request names always fits. */
export function judgeRated({ rated, knownShare, model, least, namesExactly, cosine, toolCount }: Judgement): number {
  const { bonuses, ownMeaning: meaning, features } = rated;
  if (bonuses.some((bonus) => bonus > 0)) return 1;
  const confidence = judgeFit({ meaning, bigrams: features.bigrams, knownShare, cosine, toolCount }, model);
  return meaning.length > 0 && confidence < least && namesExactly() ? Math.max(EXACT, least) : confidence;
}

/** The probability for a rare word that names a parameter or a tool, whatever it means. */
const EXACT = 0.9;

/** A request as the ranker sees it. */
export interface HybridRequest {
  /** Without its operators, with misspelt words corrected. */
  readonly text: string;
  readonly vector: QueryVector;
  /** The share of the request, by idf, that the catalog's words cover. */
  readonly knownShare: number;
  /** Empty for a request of one clause. */
  readonly clauses: readonly RequestClause[];
}

interface RequestClause {
  readonly text: string;
  readonly plan: QueryPlan;
  readonly vector: QueryVector;
}

interface RequestReaders {
  readonly ranker: QueryRanker;
  readonly embedder: StaticEmbedder;
}

export function readRequest({ text, plan }: QueryRanking, { ranker, embedder }: RequestReaders): HybridRequest {
  const spelt = readSpelling(plan, ranker.index, embedder);
  const corrected =
    spelt.size === 0 ? text : text.replace(WORD, (word) => spelt.get(foldText(word).toLowerCase()) ?? word);
  const hasMeaning = plan.hasKnownWord || knowsSome(corrected, embedder);
  return {
    text: corrected,
    vector: toQueryVector(hasMeaning ? embedder.query(corrected) : new Float32Array(embedder.dimensions)),
    knownShare: knownShare(plan, spelt, ranker.index.catalogSize),
    clauses: (plan.hasWords ? splitClauses(corrected) : []).map((clause) => ({
      text: clause,
      plan: ranker.plan(clause),
      vector: toQueryVector(embedder.query(clause)),
    })),
  };
}

/**
 * Corrects misspelt words: those that neither the catalog nor the embedder knows, to a word of the catalog. If no tool has a similar
 * word, to one that the embedder knows and that differs by two swapped letters or one doubled letter.
 */
function readSpelling(
  { lists, unknown }: QueryPlan,
  { terms }: Bm25Index,
  embedder: StaticEmbedder,
): Map<string, string> {
  const best = new Map<string, { readonly list: number; readonly weight: number }>();
  for (const { list, reasons } of lists) {
    for (const { word, match, weight } of reasons) {
      // Lists after those of terms belong to stems, which are not words.
      if (match !== 'typo' || list >= terms.size || embedder.knows(word)) continue;
      if (weight > (best.get(word)?.weight ?? 0)) best.set(word, { list, weight });
    }
  }
  const spelt = new Map([...best].map(([word, { list }]) => [word, terms.text(list)]));
  for (const word of unknown) {
    const meant = spelt.has(word) || embedder.knows(word) ? undefined : knownSpelling(word, embedder);
    if (meant !== undefined) spelt.set(word, meant);
  }
  return spelt;
}

function knownSpelling(word: string, embedder: StaticEmbedder): string | undefined {
  if (!MISSPELT.test(word)) return undefined;
  for (let at = 0; at + 1 < word.length; at += 1) {
    const [first, second] = [word.charAt(at), word.charAt(at + 1)];
    const middle = first === second ? first : second + first;
    const other = word.slice(0, at) + middle + word.slice(at + 2);
    if (embedder.knows(other)) return other;
  }
  return undefined;
}

/** How much of a request the catalog's words cover. A word that no tool has counts like the rarest one of the catalog. */
function knownShare({ mass, unknown }: QueryPlan, spelt: ReadonlyMap<string, string>, toolCount: number): number {
  if (mass === 0) return 0;
  const strange = unknown.filter((word) => !GRAMMAR.has(word) && !NUMBER.test(word) && !spelt.has(word));
  return mass / (mass + strange.length * Math.log(1 + toolCount));
}

/**
 * Whether the embedder knows any word as a whole. A text that it has to read entirely in pieces ("zzzz qqqq") has a vector too, but
 * that is near to something only by chance.
 */
function knowsSome(text: string, embedder: StaticEmbedder): boolean {
  const words = foldText(text).toLowerCase().match(WORD) ?? [];
  return words.some((word) => UNSPACED.test(word) || embedder.knows(word));
}

const NUMBER = /^\d+$/;
/** In shorter words, one moved letter often makes another word or a product name. */
const MISSPELT = /^[a-z]{6,24}$/;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts in which the embedder looks for words inside a run of letters, or for known prefixes. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/u;

/**
 * The clauses of a request that asks for several things: its sentences, and the parts that "and", "then" and "also" join. Empty for a
 * request of one clause. Fragments of one or two words are not clauses, because they say too little on their own.
 */
export function splitClauses(text: string): string[] {
  const clauses = text.split(SENTENCE_END).flatMap(splitSentence).slice(0, MOST_CLAUSES);
  return clauses.length > 1 ? clauses : [];
}

/** The parts that "and" joins if they are several clauses; otherwise the whole, since "the name and age of a user" is one thing. */
function splitSentence(sentence: string): string[] {
  const parts = sentence.split(JOINT).filter(hasWords);
  return (parts.length > 1 ? parts : [sentence].filter(hasWords)).map((clause) => clause.trim());
}

function hasWords(clause: string): boolean {
  if (CJK.test(clause)) return clause.trim().length >= LEAST_CJK;
  let words = 0;
  for (const _ of clause.matchAll(/\S+/g)) words += 1;
  return words >= LEAST_WORDS;
}

const LEAST_WORDS = 3;
/** Characters of Chinese or Japanese that say about as much as three words. */
const LEAST_CJK = 5;
/** More than people ask for in one message; each costs some time. */
const MOST_CLAUSES = 16;
/** A full stop inside a number or an address ends nothing. */
const SENTENCE_END = /[.?!;]+(?=\s|$)|[\n。？！；]+|,? (?:and then|and also|then|also) /i;
const JOINT = /,? and /i;
const CJK = /[\u3040-\u30ff\u3400-\u9fff]/;
