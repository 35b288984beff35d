import type { Snapshot } from '../../catalog/index.ts';
import { CandidateTerms, FeatureReader, type QueryRanker, type QueryRanking, type Ranking } from '../bm25/index.ts';
import type { QueryVector, VectorScan } from '../semantic/index.ts';
import { nameKey } from '../text/index.ts';
import type { HybridFeatures, HybridWeights } from './hybrid-options.ts';
import { type HybridRequest, sumOf } from './hybrid-request.ts';
import type { Rated } from './order-by-intent.ts';
import { weighFeatures } from './weigh-features.ts';

interface ToolRaterParts {
  readonly snapshot: Snapshot;
  readonly lexical: QueryRanker;
  readonly scan: VectorScan;
}

interface ToolsToRate {
  readonly request: HybridRequest;
  readonly lexical: QueryRanking;
  /** All that `lexical` ranks, and others. */
  readonly tools: Uint32Array;
  readonly weights: HybridWeights;
}

/** Gives the candidates of a request their features and what these add up to. */
export class ToolRater {
  readonly #parts: ToolRaterParts;
  readonly #reader: FeatureReader;
  readonly #terms: CandidateTerms;
  readonly #serverKeys: readonly string[];

  constructor(parts: ToolRaterParts) {
    this.#parts = parts;
    this.#reader = new FeatureReader(parts.lexical.index);
    this.#terms = new CandidateTerms(parts.lexical.index);
    const keys = new Map(parts.snapshot.servers.map((server) => [server, nameKey(server)]));
    this.#serverKeys = parts.snapshot.tools.map((tool) => keys.get(tool.server ?? '') ?? '');
  }

  rate({ request, lexical, tools, weights }: ToolsToRate): Rated[] {
    this.#terms.open(tools);
    this.#reader.open(lexical.plan);
    const columns = this.#columns(request, lexical, tools);
    const known = new Map(lexical.rankings.map((ranking) => [ranking.tool, ranking]));
    // Of those that are not named: a name's own score would put everything else in its shade.
    const best = Math.max(bestOf(lexical.rankings, 'terms'), bestOf(lexical.rankings, 'substring'), Number.MIN_VALUE);
    const isNamed = namedServers(request.key);
    const rated: Rated[] = [];
    for (let at = 0; at < tools.length; at += 1) {
      const tool = tools[at] as number;
      const ranking = known.get(tool);
      // Outside the lexical pool only the sum of the terms is known.
      const terms =
        ranking === undefined ? (columns.terms[at] as number) : Math.min(MOST_TERMS, termsOf(ranking) / best);
      const meaning = columns.meaning[at] as number;
      const { nameCoverage, bigrams } =
        (ranking?.kind === 'terms' ? ranking.features : undefined) ?? this.#reader.read(tool);
      const features: HybridFeatures = {
        meaning,
        clauseMeaning: columns.clauseMeaning?.[at] ?? meaning,
        terms,
        clauseTerms: columns.clauseTerms?.[at] ?? terms,
        coverage: columns.coverage[at] as number,
        bigrams: lexical.plan.mass > 0 ? bigrams / lexical.plan.mass : 0,
        nameCoverage,
        serverNamed: isNamed(this.#serverKeys[tool] ?? '') ? 1 : 0,
        embedded: 0,
      };
      const bonus = ranking?.kind === 'name' ? ranking.bonus : 0;
      const clauses = columns.clauses.map((fits) => fits[at] as number);
      rated.push({ tool, bonus, base: weighFeatures(features, weights), features, clauses });
    }
    return rated;
  }

  /** What is read for all candidates at once. */
  #columns(request: HybridRequest, lexical: QueryRanking, tools: Uint32Array): Columns {
    const coverage = this.#terms.coverages(lexical.plan);
    const trust = trustOf(request, lexical, (tool) => coverage[tools.indexOf(tool)] ?? 0);
    const bestSum = lexical.rankings.reduce((most, ranking) => Math.max(most, sumOf(ranking)), Number.MIN_VALUE);
    const clauses = request.clauses.map(({ answer, best, vector }) => ({
      meaning: this.#meanings(vector, tools),
      terms: this.#sums(answer, (sum) => (trust * sum) / best),
    }));
    return {
      meaning: this.#meanings(request.vector, tools),
      terms: this.#sums(lexical, (sum) => sum / bestSum),
      coverage: coverage.map((share) => trust * share),
      clauseMeaning: greatest(clauses.map(({ meaning }) => meaning)),
      clauseTerms: greatest(clauses.map(({ terms }) => terms)),
      clauses: clauses.map(({ meaning, terms }) =>
        meaning.map((cosine, at) => CLAUSE_FIT.meaning * cosine + CLAUSE_FIT.terms * (terms[at] as number)),
      ),
    };
  }

  #sums({ plan }: QueryRanking, scale: (sum: number) => number): Float64Array {
    return new Float64Array(this.#terms.sums(plan)).map(scale);
  }

  #meanings(vector: QueryVector, tools: Uint32Array): Float64Array {
    return this.#parts.scan.cosines(vector, tools).map((cosine) => Math.max(0, cosine));
  }
}

/** One number for each candidate. */
interface Columns {
  readonly meaning: Float64Array;
  readonly terms: Float64Array;
  readonly coverage: Float64Array;
  /** Of the clause that fits best; undefined for a request of one clause. */
  readonly clauseMeaning: Float64Array | undefined;
  readonly clauseTerms: Float64Array | undefined;
  /** For each clause how well a tool serves it. */
  readonly clauses: readonly Float64Array[];
}

function greatest([first, ...others]: readonly Float64Array[]): Float64Array | undefined {
  const most = first?.slice();
  for (const other of others) {
    for (let at = 0; at < other.length; at += 1) {
      if (most !== undefined && (other[at] as number) > (most[at] as number)) most[at] = other[at] as number;
    }
  }
  return most;
}

/**
 * How far the lexical scores can be trusted: they are shares of the best one, and where even the best has next to nothing
 * of the request (the "in" of "will it rain in Lisbon") it must not count as much as a full match.
 */
function trustOf(request: HybridRequest, lexical: QueryRanking, coverageOf: (tool: number) => number): number {
  if (!lexical.plan.hasKnownWord) return 1;
  const covered = lexical.rankings
    .slice(0, TRUSTED_TOOLS)
    .reduce((most, { tool }) => Math.max(most, coverageOf(tool)), 0);
  return Math.min(1, (request.knownShare * covered) / TRUSTED_COVERAGE);
}

/** Whether a request names a server; each is looked for once. */
function namedServers(requestKey: string): (serverKey: string) => boolean {
  const found = new Map<string, boolean>([['', false]]);
  return (serverKey) => {
    let isNamed = found.get(serverKey);
    if (isNamed === undefined) {
      isNamed = requestKey.includes(serverKey);
      found.set(serverKey, isNamed);
    }
    return isNamed;
  };
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
