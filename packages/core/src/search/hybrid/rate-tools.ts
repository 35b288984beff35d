import type { Snapshot } from '../../catalog/index.ts';
import {
  CandidateTerms,
  FeatureReader,
  firstAtLeast,
  type QueryRanker,
  type QueryRanking,
  type Ranking,
} from '../bm25/index.ts';
import type { CommonMeaning, QueryVector, VectorScan } from '../semantic/vector-scan.ts';
import { nameKey } from '../text/characters.ts';
import { FEATURES, type FeatureName, type HybridWeights } from './features.ts';
import type { HybridRequest } from './rank-hybrid.ts';
import type { WholeCatalog } from './whole-catalog.ts';

/** One number for each tool. */
export type FeatureColumns = Readonly<Record<FeatureName, Float64Array>>;

/**
 * The candidates of a request before ranking, column by column: there are more than a hundred, and only those that get into an answer
 * need an object each.
 */
export interface RatedTools {
  /** In catalog order. */
  readonly tools: Uint32Array;
  /** For a tool that the query names, more than all other parts together; otherwise 0. */
  readonly bonuses: Float64Array;
  /** The weighted sum of the features. */
  readonly bases: Float64Array;
  readonly features: FeatureColumns;
  /**
   * `meaning`, or that of a clause that fits clearly better, without the part that the catalog's tools have in common; see
   * `CommonMeaning`.
   */
  readonly ownMeaning: Float64Array;
  /** For each clause of the request how well each tool serves it. Empty for a request of one clause. */
  readonly clauses: readonly Float64Array[];
  /** The number of each tool's server. */
  readonly servers: Uint32Array;
  /** How much a tool has in common with others of its server: 0 (there is no server) to 1. */
  readonly closeness: Float64Array;
}

/**
 * How much more evidence a clause needs than the whole request to be used for the verdict: filler around the one clause that matters
 * must not count against it, and every further clause is one more that may match something by chance.
 */
export const CLAUSE_MARGIN = 0.1;

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

/** Computes the features of a request's candidates, and their weighted sum. */
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

  /** For candidates outside the keyword ranking, only the sum of the terms is known. */
  #rateTerms({ lexical, tools }: ToolsToRate, columns: Columns): { terms: Float64Array; bonuses: Float64Array } {
    const { plan, rankings } = lexical;
    const sums = this.#terms.sums(plan);
    // If no tool was found by its terms, the best of those that were found otherwise.
    const found = rankings.flatMap((ranking) => (ranking.kind === 'terms' ? [ranking.sum] : []));
    const unit = greatest(found, 0) || greatest(sums, 1);
    // Only of tools that the query doesn't name: the score of a name would make every other share tiny.
    const unnamed = rankings.flatMap(({ kind, score }) => (kind === 'name' ? [] : [score]));
    const best = greatest(unnamed, Number.MIN_VALUE);
    const terms = columns.next();
    const bonuses = columns.next();
    for (let at = 0; at < tools.length; at += 1) terms[at] = (sums[at] as number) / unit;
    for (const ranking of rankings) {
      const at = firstAtLeast(tools, ranking.tool);
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
      const unit = greatest(sums, 1);
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
      const at = firstAtLeast(tools, ranking.tool);
      isRead[at] = 1;
      into[at] = ranking.features.bigrams / plan.mass;
    }
    for (let at = 0; at < tools.length; at += 1) {
      if (isRead[at] === 0) into[at] = this.#reader.read(plan, tools[at] as number).bigrams / plan.mass;
    }
    return into;
  }
}

/** Columns of every request; there is one more for each clause. */
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

function greatest(values: readonly number[] | Int32Array, least: number): number {
  let most = least;
  for (const value of values) most = Math.max(most, value);
  return most;
}

function scale(values: Float64Array, factor: number): Float64Array {
  for (let at = 0; at < values.length; at += 1) values[at] = factor * (values[at] as number);
  return values;
}

/**
 * How far the lexical scores can be trusted: they are shares of the best one, and where even the best has next to nothing
 * of the request (the "in" of "will it rain in Lisbon") it must not count as much as a full match.
 */
function trustOf({ request, lexical, tools }: ToolsToRate, coverage: Float64Array): number {
  if (!lexical.plan.hasKnownWord) return 1;
  const covered = lexical.rankings
    .slice(0, TRUSTED_TOOLS)
    .reduce((most, { tool }) => Math.max(most, coverage[firstAtLeast(tools, tool)] as number), 0);
  return Math.min(1, (request.knownShare * covered) / TRUSTED_COVERAGE);
}

function termsOf(ranking: Ranking): number {
  return ranking.kind === 'name' ? ranking.score - ranking.bonus : ranking.score;
}

/** From this share of the request on, the best lexical tool is a match in full. */
const TRUSTED_COVERAGE = 0.2;
const TRUSTED_TOOLS = 8;
/** A named tool may have far more than the others; past this it only hides what the other features say. */
const MOST_TERMS = 2;
/** What meaning and words count in how well a tool serves a clause. */
const CLAUSE_FIT = { meaning: 6, terms: 2 } as const;

/** Which server each tool is of, as a number. */
export class ToolServers {
  /** Per tool, the number of its server; of tools without one, the last number. */
  readonly #numbers: Uint32Array;
  readonly #keys: readonly string[];
  readonly #longestKey: number;
  /** Per server, what being of it tells: the fewer tools it has, the more. */
  readonly #closeness: Float64Array;

  /** @param whole the catalog that the tools are a part of. @default they are all of it */
  constructor({ tools, servers }: Snapshot, whole?: Pick<WholeCatalog, 'countServer'>) {
    const numbers = new Map(servers.map((server, at) => [server, at]));
    this.#keys = [...servers.map(spokenKey), ''];
    // `from` would collect the numbers of 100,000 tools in a list first, for the garbage collector.
    this.#numbers = new Uint32Array(tools.length);
    for (const [at, { server = '' }] of tools.entries()) this.#numbers[at] = numbers.get(server) ?? servers.length;
    this.#longestKey = this.#keys.reduce((most, { length }) => Math.max(most, length), 0);
    const sizes = new Float64Array(servers.length + 1);
    if (whole === undefined) for (const number of this.#numbers) sizes[number] = (sizes[number] as number) + 1;
    else servers.forEach((server, number) => void sizes.fill(whole.countServer(server), number, number + 1));
    this.#closeness = sizes.map((size, number) => (number < servers.length && size > 0 ? 1 / Math.sqrt(size) : 0));
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#numbers.byteLength + this.#closeness.byteLength;
  }

  /** For each of these tools 1 if the request names its server; else 0. */
  findNamed(request: string, tools: Uint32Array, into: Float64Array): Float64Array {
    const known = new Int8Array(this.#keys.length);
    const named = spokenNames(request, this.#longestKey);
    for (let at = 0; at < tools.length; at += 1) {
      const number = this.#numbers[tools[at] as number] as number;
      if (known[number] === 0) known[number] = this.#isNamed(number, named) ? 1 : -1;
      into[at] = known[number] === 1 ? 1 : 0;
    }
    return into;
  }

  /** The server of each of these tools. */
  numbersOf(tools: Uint32Array): Uint32Array {
    return tools.map((tool) => this.#numbers[tool] as number);
  }

  /** For each of these tools how much it has in common with others of its server, 0 (it has none) to 1 (it is the only one). */
  closenessOf(tools: Uint32Array, into: Float64Array): Float64Array {
    for (let at = 0; at < tools.length; at += 1) {
      into[at] = this.#closeness[this.#numbers[tools[at] as number] as number] as number;
    }
    return into;
  }

  #isNamed(number: number, { runs, key: whole }: SpokenNames): boolean {
    const key = this.#keys[number] ?? '';
    if (key === '') return false;
    // In a script without spaces any part may be a word.
    return runs.has(key) || (!LATIN.test(key) && whole.includes(key));
  }
}

interface SpokenNames {
  /** The keys of one word or several in a row: "sql" is not named by "MySQL", but "Git Hub" names `github`. */
  readonly runs: ReadonlySet<string>;
  readonly key: string;
}

function spokenNames(request: string, longest: number): SpokenNames {
  const words = (request.match(WORD) ?? []).map(nameKey);
  const runs = new Set<string>();
  for (let start = 0; start < words.length; start += 1) {
    let key = '';
    for (let end = start; end < words.length && key.length <= longest; end += 1) {
      key += words[end];
      runs.add(key);
    }
  }
  return { runs, key: nameKey(request) };
}

const WORD = /[\p{Script=Latin}\p{M}\p{N}]+|[^\P{L}\p{Script=Latin}]+/gu;
const LATIN = /^[a-z0-9]+$/;

/** A server's name as people say it: who writes "github" means `github-mcp-server` and `GithubApi` too. */
function spokenKey(server: string): string {
  const key = nameKey(server);
  const spoken = key.replace(TECHNICAL_END, '').replace(TECHNICAL_START, '');
  return spoken.length < LEAST_SPOKEN ? key : spoken;
}

const TECHNICAL_START = /^(?:mcp|server)+/;
const TECHNICAL_END = /(?:api|mcp|server|service|toolkit|tools|v\d+)+$/;
/** Shorter ones stand in too many other words. */
const LEAST_SPOKEN = 3;

/** For each tool the weighted sum of its features. */
export function weighFeatures(features: FeatureColumns, weights: HybridWeights): Float64Array {
  const bases = new Float64Array(features.meaning.length);
  for (const { name } of FEATURES) {
    const weight = weights[name];
    if (weight === 0) continue;
    const column = features[name];
    for (let at = 0; at < bases.length; at += 1) bases[at] = (bases[at] as number) + weight * (column[at] as number);
  }
  return bases;
}

/**
 * Gives out columns of zeros, one number for each tool, from one buffer: a buffer costs several times as much to allocate as a
 * view of one, and a request has dozens of columns.
 */
export class Columns {
  readonly #length: number;
  readonly #buffer: ArrayBuffer;
  #used = 0;

  /** @param count how many columns there will be; what is asked for beyond has a buffer of its own */
  constructor(count: number, length: number) {
    this.#length = length;
    this.#buffer = new ArrayBuffer(count * length * Float64Array.BYTES_PER_ELEMENT);
  }

  next(): Float64Array {
    const start = this.#used;
    const end = start + this.#length * Float64Array.BYTES_PER_ELEMENT;
    if (end > this.#buffer.byteLength) return new Float64Array(this.#length);
    this.#used = end;
    return new Float64Array(this.#buffer, start, this.#length);
  }
}
