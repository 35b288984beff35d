import type { Bm25Settings } from '../bm25-options.ts';
import { type Bm25Index, IMPACT_SCALE } from '../index/bm25-index.ts';
import {
  denseImpacts,
  findImpact,
  foldedDifferences,
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  headBytes,
  isDense,
  readLength,
} from '../index/posting-list.ts';
import { type PlannedStem, type QueryPlan, WEIGHT_SCALE } from './plan-query.ts';

/** The maximum number of tools that are read at once. */
export const MOST_READ = 64;
/** A power of two. */
const FILTER_SIZE = 1_024;
/** In bytes. */
const CACHE_LINE = 64;
/** Not before any place. */
const NOWHERE = -2;

// The workspace for reading, shared by all indexes of a thread: a reading ends before anything else runs, and thousands of small catalogs
// would otherwise hold more of this than of everything else.

/** By the key of a stem: its number in the plan plus one. */
const numbers: Uint8Array = new Uint8Array(0x10000);
/** By the low bits of a key: whether the plan may have a stem with it. Small enough to stay in the processor's cache. */
const filter: Uint8Array = new Uint8Array(FILTER_SIZE);
/** The plan whose stems are in both. */
let opened: QueryPlan | undefined;
/** The features read last, by position. */
const nameCoverages: Float64Array = new Float64Array(MOST_READ);
const queryShares: Float64Array = new Float64Array(MOST_READ);
const bigrams: Float64Array = new Float64Array(MOST_READ);
/** Keeps the compiler from removing the reads that prefetch. */
const fetched: Float64Array = new Float64Array(MOST_READ);
const one: Uint32Array = new Uint32Array(1);

/** Selects the query to read features for. */
function open(plan: QueryPlan): void {
  if (opened === plan) return;
  for (const stem of opened?.stems ?? []) {
    numbers[stem.key] = 0;
    filter[stem.key & (FILTER_SIZE - 1)] = 0;
  }
  opened = plan;
  for (let number = 0; number < plan.stems.length; number += 1) {
    const key = plan.stems[number]?.key ?? 0;
    numbers[key] = number + 1;
    filter[key & (FILTER_SIZE - 1)] = 1;
  }
}

/** Reads the features of tools for one query after the other. {@link at} returns those of the latest reading, of whichever index. */
export class FeatureReader {
  readonly #index: Bm25Index;

  constructor(index: Bm25Index) {
    this.#index = index;
  }

  read(plan: QueryPlan, tool: number): MatchFeatures {
    one[0] = tool;
    this.readMany(plan, one, 1);
    return this.at(0);
  }

  /** Reads the first `count` of these tools, at most {@link MOST_READ}; {@link at} returns their features. */
  readMany(plan: QueryPlan, tools: Uint32Array, count: number): void {
    if (plan.stems.length === 0) {
      nameCoverages.fill(0);
      queryShares.fill(0);
      bigrams.fill(0);
      return;
    }
    const { sequences, sequenceStarts, nameLengths, nameMasses } = this.#index.data;
    const { stems, mass } = plan;
    const hasBigrams = plan.bigrams.size > 0;
    open(plan);
    this.#fetch(tools, count);
    for (let place = 0; place < count; place += 1) {
      const tool = tools[place] ?? 0;
      const start = sequenceStarts[tool] ?? 0;
      const nameEnd = start + (nameLengths[tool] ?? 0);
      const end = hasBigrams ? (sequenceStarts[tool + 1] ?? 0) : nameEnd;
      let nameMass = 0;
      let queryMass = 0;
      let bigramSum = 0;
      let seen: Set<number> | undefined;
      let previous = 0;
      let previousAt = NOWHERE;
      for (let at = start; at < end; at += 1) {
        const key = sequences[at] ?? 0;
        // Nearly all words are ruled out here.
        if (filter[key & (FILTER_SIZE - 1)] === 0) continue;
        const number = numbers[key] ?? 0;
        if (number === 0) continue;
        const stem = stems[number - 1] as PlannedStem;
        if (at < nameEnd) {
          nameMass += stem.idf;
          queryMass += stem.idf * stem.weight;
        }
        // The last word of the name and the first of the description are not neighbours.
        if (previousAt === at - 1 && at !== nameEnd) {
          const bigram = (previous - 1) * 256 + number - 1;
          if (plan.bigrams.has(bigram) && seen?.has(bigram) !== true) {
            seen ??= new Set();
            seen.add(bigram);
            bigramSum += bigramValue(plan, bigram);
          }
        }
        previous = number;
        previousAt = at;
      }
      const whole = nameMass > 0 ? (nameMasses[tool] ?? 0) : 0;
      nameCoverages[place] = whole > 0 ? Math.min(1, nameMass / whole) : 0;
      queryShares[place] = mass > 0 ? Math.min(1, queryMass / mass) : 0;
      bigrams[place] = bigramSum;
    }
  }

  /**
   * Prefetches what {@link readMany} needs of each tool. It is scattered over memory, and most of the time would be spent waiting for
   * one piece after the other. Nothing here depends on what is read, so the processor can wait for many pieces at once.
   */
  #fetch(tools: Uint32Array, count: number): void {
    const { sequences, sequenceStarts, nameLengths, nameMasses } = this.#index.data;
    for (let place = 0; place < count; place += 1) {
      const tool = tools[place] ?? 0;
      const start = sequenceStarts[tool] ?? 0;
      const words = (sequences[start] ?? 0) + (sequences[start + CACHE_LINE / 2] ?? 0);
      fetched[place] = words + (nameLengths[tool] ?? 0) + (nameMasses[tool] ?? 0);
    }
  }

  /** The features of one of the tools read last. */
  at(place: number): MatchFeatures {
    return new MatchFeatures(nameCoverages[place] ?? 0, queryShares[place] ?? 0, bigrams[place] ?? 0);
  }

  /** Writes the scores of the tools read last to `scores`: {@link combineScore} of their sums and of {@link at}. */
  scoreMany(sums: Int32Array, count: number, scores: Float64Array): void {
    const { settings } = this.#index.data;
    for (let place = 0; place < count; place += 1) {
      const factor = nameFactor(settings, nameCoverages[place] as number, queryShares[place] as number);
      const bonus = settings.bigramWeight * (bigrams[place] as number);
      scores[place] = scaleSum(sums[place] as number) * factor + bonus;
    }
  }
}

/**
 * How a tool's own words match a query, besides the sum of its terms. A class, because V8 discards optimised code for an object
 * literal whose numbers are sometimes whole.
 */
export class MatchFeatures {
  /** How much of its name, by idf, the query covers; 0 to 1. */
  readonly nameCoverage: number;
  /** How much of the query, by idf, its name covers; 0 to 1. */
  readonly queryShare: number;
  /** The smaller idf of each pair of neighbours that query and name or description have in common, added up. */
  readonly bigrams: number;

  constructor(nameCoverage: number, queryShare: number, bigrams: number) {
    this.nameCoverage = nameCoverage;
    this.queryShare = queryShare;
    this.bigrams = bigrams;
  }
}

/** The score of a tool from the sum of its terms: see `Bm25Options` for the formula. */
export function combineScore(index: Bm25Index, sum: number, features: MatchFeatures): number {
  const { nameCoverage, queryShare, bigrams } = features;
  const { settings } = index.data;
  return scaleSum(sum) * nameFactor(settings, nameCoverage, queryShare) + settings.bigramWeight * bigrams;
}

function nameFactor(settings: Bm25Settings, nameCoverage: number, queryShare: number): number {
  const { nameCoverageWeight, nameMatchWeight } = settings;
  return 1 + nameCoverageWeight * nameCoverage + nameMatchWeight * Math.sqrt(nameCoverage * queryShare);
}

function bigramValue(plan: QueryPlan, bigram: number): number {
  return Math.min(plan.stems[bigram & 0xff]?.idf ?? 0, plan.stems[bigram >>> 8]?.idf ?? 0);
}

/** Converts a sum of whole numbers to the sum of weights × impacts that it represents. */
export function scaleSum(sum: number): number {
  return sum / (WEIGHT_SCALE * IMPACT_SCALE);
}

const NONE: Uint32Array = new Uint32Array(0);
const NO_DIFFERENCES: Uint8Array = new Uint8Array(0);
const LEAST_ENTRIES = 4_096;

/** The workspace for reading lists, shared by all indexes of a thread: a request ends before the next one begins. */
const scratch = {
  /** `place × 256 + impact`, places ascending in a run. */
  entries: new Uint32Array(LEAST_ENTRIES),
  /** By position; all 0 between two lists. */
  differences: NO_DIFFERENCES,
};

/**
 * The sums of the terms of a few tools, for a request and for each of its clauses. The words of a clause are words of the request, so
 * each list is read once for all of them, and only its candidates are kept.
 */
export class CandidateTerms {
  readonly #index: Bm25Index;
  /** By tool: its index among the candidates plus one; 0 for all others. */
  readonly #places: Uint32Array;
  #tools: Uint32Array = NONE;
  /** By list, its candidates: a range of `entries`. */
  readonly #runs: Map<number, Run> = new Map();
  #used = 0;

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#places = new Uint32Array(index.toolCount);
  }

  /** Makes these tools, in ascending order, the candidates. Nothing else may be opened before {@link close}. */
  open(tools: Uint32Array): void {
    this.close();
    for (let at = 0; at < tools.length; at += 1) this.#places[tools[at] as number] = at + 1;
    this.#tools = tools;
    if (scratch.differences.length < tools.length) scratch.differences = new Uint8Array(tools.length * 2);
  }

  /** Releases everything of a request, and the memory of a large one. */
  close(): void {
    for (const tool of this.#tools) this.#places[tool] = 0;
    this.#tools = NONE;
    this.#runs.clear();
    this.#used = 0;
    if (scratch.entries.length > MOST_KEPT_ENTRIES) {
      scratch.entries = new Uint32Array(LEAST_ENTRIES);
      scratch.differences = NO_DIFFERENCES;
    }
  }

  /** Bytes that it keeps between two requests. */
  get byteLength(): number {
    return this.#places.byteLength;
  }

  /** For each candidate, the sum as from `QueryRanker.sumTerms`: a whole number below 2³¹. */
  sums({ lists }: QueryPlan): Int32Array {
    const sums = new Int32Array(this.#tools.length);
    for (const { list, weight } of lists) {
      const { start, end } = this.#runOf(list);
      const { entries } = scratch;
      for (let at = start; at < end; at += 1) {
        const entry = entries[at] as number;
        sums[entry >>> 8] = (sums[entry >>> 8] as number) + Math.imul(weight, entry & 0xff);
      }
    }
    return sums;
  }

  /** For each candidate, how much of a plan, by idf, occurs anywhere in it; 0 to 1. */
  coverages({ stems, mass }: QueryPlan): Float64Array {
    const covered = new Float64Array(this.#tools.length);
    if (mass === 0) return covered;
    for (const { list, idf, weight } of stems) {
      const { start, end } = this.#runOf(list);
      const { entries } = scratch;
      const part = idf * weight;
      for (let at = start; at < end; at += 1) {
        const place = (entries[at] as number) >>> 8;
        covered[place] = (covered[place] as number) + part;
      }
    }
    for (let at = 0; at < covered.length; at += 1) covered[at] = Math.min(1, (covered[at] as number) / mass);
    return covered;
  }

  #runOf(list: number): Run {
    let run = this.#runs.get(list);
    if (run === undefined) {
      run = this.#read(list);
      this.#runs.set(list, run);
    }
    return run;
  }

  #read(list: number): Run {
    const { listStarts, postings } = this.#index.data;
    const listStart = listStarts[list] ?? 0;
    const listEnd = listStarts[list + 1] ?? 0;
    const whole = this.#index.unfoldedList(list);
    const wholeRun = whole === list ? undefined : this.#runOf(whole);
    this.#reserve();
    const start = this.#used;
    if (wholeRun !== undefined) {
      this.#readFolded(wholeRun, foldedDifferences(postings, listStart), listEnd);
    } else if (listStart < listEnd && isDense(readLength(postings, listStart), this.#index.toolCount)) {
      const first = denseImpacts(postings, listStart);
      for (let at = 0; at < this.#tools.length; at += 1) {
        this.#push(at, postings[first + (this.#tools[at] as number)] as number);
      }
    } else if (listStart < listEnd) {
      this.#readPlain(listStart, listEnd);
    }
    return { start, end: this.#used };
  }

  /** Makes room for all candidates. */
  #reserve(): void {
    if (scratch.entries.length < this.#used + this.#tools.length) {
      const more = new Uint32Array((this.#used + this.#tools.length) * 2);
      more.set(scratch.entries.subarray(0, this.#used));
      scratch.entries = more;
    }
  }

  #push(place: number, impact: number): void {
    scratch.entries[this.#used] = place * 256 + impact;
    this.#used += impact === 0 ? 0 : 1;
  }

  /** The entries of the list that another is folded into, minus the differences. */
  #readFolded({ start, end }: Run, from: number, to: number): void {
    const { postings } = this.#index.data;
    const { entries, differences } = scratch;
    const before = this.#used;
    if (readLength(postings, from) > 0) this.#readPlain(from, to);
    for (let at = before; at < this.#used; at += 1) {
      const entry = entries[at] as number;
      differences[entry >>> 8] = entry & 0xff;
    }
    this.#used = before;
    for (let at = start; at < end; at += 1) {
      const entry = entries[at] as number;
      const place = entry >>> 8;
      this.#push(place, (entry & 0xff) - (differences[place] as number));
      differences[place] = 0;
    }
  }

  #readPlain(start: number, end: number): void {
    const { postings } = this.#index.data;
    const length = readLength(postings, start);
    if (length > this.#tools.length * LOOKUP_COST) {
      for (let at = 0; at < this.#tools.length; at += 1) {
        this.#push(at, findImpact(postings, start, end, this.#tools[at] as number));
      }
      return;
    }
    const places = this.#places;
    const { entries } = scratch;
    let used = this.#used;
    let next = 0;
    for (let at = start + headBytes(length); at < end; at += 1) {
      let gap = postings[at++] as number;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] as number) << 7);
        if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((postings[at++] as number) << 14);
      }
      const tool = next + gap;
      next = tool + 1;
      const place = places[tool] as number;
      if (place !== 0) entries[used++] = (place - 1) * 256 + (postings[at] as number);
    }
    this.#used = used;
  }
}

/** From `start` to `end`. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/** More than this is released after a request: every tool of a large catalog was a candidate. */
const MOST_KEPT_ENTRIES = 65_536;
/** How many postings can be read sequentially in the time that one lookup takes. */
const LOOKUP_COST = 24;
