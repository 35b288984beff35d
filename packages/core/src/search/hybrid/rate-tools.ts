import type { Snapshot } from '../../catalog/index.ts';
import { CandidateTerms, FeatureReader, type QueryRanker, type QueryRanking, type Ranking } from '../bm25/index.ts';
import type { CommonMeaning, QueryVector, VectorScan } from '../semantic/index.ts';
import { Columns } from './columns.ts';
import { type HybridWeights, weighFeatures } from './features.ts';
import type { HybridRequest } from './hybrid-request.ts';
import { CLAUSE_MARGIN } from './judge-fit.ts';
import type { RatedTools } from './rated-tools.ts';
import { ToolServers } from './tool-servers.ts';
import type { WholeCatalog } from './whole-catalog.ts';

interface ToolRaterParts {
  readonly snapshot: Snapshot;
  readonly lexical: QueryRanker;
  readonly scan: VectorScan;
  readonly common: CommonMeaning;
  readonly whole?: WholeCatalog | undefined;
}

interface ToolsToRate {
  readonly request: HybridRequest;
  readonly lexical: QueryRanking;
  /** All that `lexical` ranks, and others; ascending. */
  readonly tools: Uint32Array;
  readonly weights: HybridWeights;
}

/** Gives the candidates of a request their features and what these add up to. */
export class ToolRater {
  readonly #scan: VectorScan;
  readonly #common: CommonMeaning;
  readonly #reader: FeatureReader;
  readonly #terms: CandidateTerms;
  readonly #servers: ToolServers;

  constructor({ snapshot, lexical, scan, common, whole }: ToolRaterParts) {
    this.#scan = scan;
    this.#common = common;
    this.#reader = new FeatureReader(lexical.index);
    this.#terms = new CandidateTerms(lexical.index);
    this.#servers = new ToolServers(snapshot, whole);
  }

  rate(asked: ToolsToRate): RatedTools {
    this.#terms.open(asked.tools);
    try {
      return this.#rateOpened(asked);
    } finally {
      this.#terms.close();
    }
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#terms.byteLength + this.#servers.byteLength;
  }

  #rateOpened(asked: ToolsToRate): RatedTools {
    const { request, lexical, tools, weights } = asked;
    const columns = new Columns(OWN_COLUMNS + request.clauses.length, tools.length);
    const coverage = this.#terms.coverages(lexical.plan);
    const trust = trustOf(asked, coverage);
    const meaning = this.#readMeaning(request.vector, tools, columns.next());
    const { terms, bonuses } = this.#rateTerms(asked, columns);
    const clauses = this.#rateClauses(asked, trust, columns);
    const unseen = columns.next();
    const features = {
      meaning,
      clauseMeaning: clauses?.meaning ?? meaning,
      terms,
      clauseTerms: clauses?.terms ?? terms,
      coverage: scale(coverage, trust),
      bigrams: this.#readBigrams(asked, columns.next()),
      serverNamed: this.#servers.findNamed(request.text, tools, columns.next()),
      reranked: unseen,
      clauseReranked: unseen,
    };
    return {
      tools,
      bonuses,
      bases: weighFeatures(features, weights),
      features,
      ownMeaning: this.#readOwnMeaning(request.vector, meaning, clauses, columns.next()),
      clauses: clauses?.fits ?? [],
      servers: this.#servers.numbersOf(tools),
      closeness: this.#servers.closenessOf(tools, columns.next()),
    };
  }

  #readMeaning(vector: QueryVector, tools: Uint32Array, into: Float64Array): Float64Array {
    this.#scan.cosines(vector, tools, into);
    for (let at = 0; at < into.length; at += 1) if ((into[at] as number) < 0) into[at] = 0;
    return into;
  }

  /** Of the whole request, or of a clause that fits clearly better. */
  #readOwnMeaning(
    vector: QueryVector,
    meaning: Float64Array,
    clauses: RatedClauses | undefined,
    into: Float64Array,
  ): Float64Array {
    this.#common.beyond(vector, meaning, into);
    if (clauses === undefined) return into;
    for (let at = 0; at < into.length; at += 1) {
      into[at] = Math.max(into[at] as number, (clauses.own[at] as number) - CLAUSE_MARGIN);
    }
    return into;
  }

  /** Outside the lexical pool only the sum of the terms is known. */
  #rateTerms({ lexical, tools }: ToolsToRate, columns: Columns): { terms: Float64Array; bonuses: Float64Array } {
    const { plan, rankings } = lexical;
    const sums = this.#terms.sums(plan);
    // Where no tool was found by its terms, the best of those that were found otherwise.
    const unit = bestSum(rankings) || greatestOf(sums);
    // Of those that are not named: a name's own score would put everything else in its shade.
    const best = Math.max(bestOf(rankings, 'terms'), bestOf(rankings, 'substring'), Number.MIN_VALUE);
    const terms = columns.next();
    const bonuses = columns.next();
    for (let at = 0; at < tools.length; at += 1) terms[at] = (sums[at] as number) / unit;
    for (const ranking of rankings) {
      const at = placeOf(ranking.tool, tools);
      terms[at] = Math.min(MOST_TERMS, termsOf(ranking) / best);
      if (ranking.kind === 'name') bonuses[at] = ranking.bonus;
    }
    return { terms, bonuses };
  }

  #rateClauses({ request, tools }: ToolsToRate, trust: number, columns: Columns): RatedClauses | undefined {
    if (request.clauses.length === 0) return undefined;
    const [meaning, terms, own] = [columns.next(), columns.next(), columns.next()];
    const [cosines, beyond] = [columns.next(), columns.next()];
    const fits = request.clauses.map(({ plan, vector }) => {
      this.#readMeaning(vector, tools, cosines);
      this.#common.beyond(vector, cosines, beyond);
      const sums = this.#terms.sums(plan);
      const unit = greatestOf(sums);
      const fit = columns.next();
      for (let at = 0; at < tools.length; at += 1) {
        const cosine = cosines[at] as number;
        const share = (trust * (sums[at] as number)) / unit;
        if (cosine > (meaning[at] as number)) meaning[at] = cosine;
        if (share > (terms[at] as number)) terms[at] = share;
        if ((beyond[at] as number) > (own[at] as number)) own[at] = beyond[at] as number;
        fit[at] = CLAUSE_FIT.meaning * cosine + CLAUSE_FIT.terms * share;
      }
      return fit;
    });
    return { meaning, terms, own, fits };
  }

  /** Neighbouring words in common, as a share of the request; the lexical ranking has read most of its own already. */
  #readBigrams({ lexical, tools }: ToolsToRate, into: Float64Array): Float64Array {
    const { plan, rankings } = lexical;
    if (plan.mass === 0) return into;
    const isRead = new Uint8Array(tools.length);
    for (const ranking of rankings) {
      if (ranking.kind !== 'terms' || ranking.features === undefined) continue;
      const at = placeOf(ranking.tool, tools);
      isRead[at] = 1;
      into[at] = ranking.features.bigrams / plan.mass;
    }
    for (let at = 0; at < tools.length; at += 1) {
      if (isRead[at] === 0) into[at] = this.#reader.read(plan, tools[at] as number).bigrams / plan.mass;
    }
    return into;
  }
}

/** Columns of every request; one for each clause comes on top. */
const OWN_COLUMNS = 13;

interface RatedClauses {
  /** Of the clause that fits best. */
  readonly meaning: Float64Array;
  readonly terms: Float64Array;
  /** `meaning` without what the catalog's tools have in common. */
  readonly own: Float64Array;
  /** For each clause how well each tool serves it. */
  readonly fits: readonly Float64Array[];
}

function bestSum(rankings: readonly Ranking[]): number {
  return rankings.reduce((most, ranking) => (ranking.kind === 'terms' ? Math.max(most, ranking.sum) : most), 0);
}

/** What sums are shares of. Never 0. */
function greatestOf(sums: Int32Array): number {
  return sums.reduce((most, sum) => Math.max(most, sum), 1);
}

function scale(values: Float64Array, factor: number): Float64Array {
  for (let at = 0; at < values.length; at += 1) values[at] = factor * (values[at] as number);
  return values;
}

/** Where a tool is among these, which are ascending and have it. */
function placeOf(tool: number, tools: Uint32Array): number {
  let [low, high] = [0, tools.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tools[middle] as number) < tool) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How far the lexical scores can be trusted: they are shares of the best one, and where even the best has next to nothing
 * of the request (the "in" of "will it rain in Lisbon") it must not count as much as a full match.
 */
function trustOf({ request, lexical, tools }: ToolsToRate, coverage: Float64Array): number {
  if (!lexical.plan.hasKnownWord) return 1;
  const covered = lexical.rankings
    .slice(0, TRUSTED_TOOLS)
    .reduce((most, { tool }) => Math.max(most, coverage[placeOf(tool, tools)] as number), 0);
  return Math.min(1, (request.knownShare * covered) / TRUSTED_COVERAGE);
}

function termsOf(ranking: Ranking): number {
  return ranking.kind === 'name' ? ranking.score - ranking.bonus : ranking.score;
}

function bestOf(rankings: readonly Ranking[], kind: Ranking['kind']): number {
  return rankings.reduce((most, ranking) => (ranking.kind === kind ? Math.max(most, ranking.score) : most), 0);
}

/** From this share of the request on, the best lexical tool is a match in full. */
const TRUSTED_COVERAGE = 0.2;
const TRUSTED_TOOLS = 8;
/** A named tool may have far more than the others; past this it only hides what the other features say. */
const MOST_TERMS = 2;
/** What meaning and words count in how well a tool serves a clause. */
const CLAUSE_FIT = { meaning: 6, terms: 2 } as const;
