import type { Bm25Settings } from '../bm25-options.ts';
import { type Bm25Index, IMPACT_SCALE } from '../index/index.ts';
import { type PlannedStem, type QueryPlan, WEIGHT_SCALE } from './plan-query.ts';

/** How a tool's own words lie to a query, beside the sum of its terms. */
export interface MatchFeatures {
  /** How much of its name, by idf, the query covers; 0 to 1. */
  readonly nameCoverage: number;
  /** How much of the query, by idf, its name covers; 0 to 1. */
  readonly queryShare: number;
  /** The smaller idf of each pair of neighbours that query and name or description have in common, added up. */
  readonly bigrams: number;
}

/** As many tools are read at once at the most. */
export const MOST_READ = 64;
/** A power of two. */
const FILTER_SIZE = 1_024;
/** In bytes. */
const CACHE_LINE = 64;
/** Not before any place. */
const NOWHERE = -2;

// What reading needs, once for all indexes of a thread: a reading is over before anything else runs, and thousands of small
// catalogs would have more of this than of everything else.

/** By the key of a stem: its number in the plan plus one. */
const numbers: Uint8Array = new Uint8Array(0x10000);
/** By the low bits of a key: whether the plan may have a stem with it. Small enough to stay near the processor. */
const filter: Uint8Array = new Uint8Array(FILTER_SIZE);
/** The plan whose stems are in the two. */
let opened: QueryPlan | undefined;
/** What was read last, by place. */
const nameCoverages: Float64Array = new Float64Array(MOST_READ);
const queryShares: Float64Array = new Float64Array(MOST_READ);
const bigrams: Float64Array = new Float64Array(MOST_READ);
/** Keeps the compiler from leaving out what is fetched ahead. */
const fetched: Float64Array = new Float64Array(MOST_READ);
const one: Uint32Array = new Uint32Array(1);

/** Makes a query the one that is read for. */
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

/** Reads the features of tools for one query after the other. What {@link at} gives is of the latest reading, of whichever index. */
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

  /** Reads the first `count` of these tools, {@link MOST_READ} at the most, without making anything of them: see {@link at}. */
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
        // Nearly all words end here.
        if (filter[key & (FILTER_SIZE - 1)] === 0) continue;
        const number = numbers[key] ?? 0;
        if (number === 0) continue;
        const stem = stems[number - 1] as PlannedStem;
        if (at < nameEnd) {
          nameMass += stem.idf;
          queryMass += stem.idf * stem.weight;
        }
        // Name and description don't touch.
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
   * Touches what {@link readMany} needs of each tool. It lies all over the memory, and most of the time would go into waiting
   * for one piece after the other; nothing here depends on what is read, so the processor waits for many of them at once.
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
    return new Features(nameCoverages[place] ?? 0, queryShares[place] ?? 0, bigrams[place] ?? 0);
  }

  /** Puts the scores of the tools read last into `scores`: {@link combineScore} of their sums and of {@link at}. */
  scoreMany(sums: Int32Array, count: number, scores: Float64Array): void {
    const { settings } = this.#index.data;
    for (let place = 0; place < count; place += 1) {
      const factor = nameFactor(settings, nameCoverages[place] as number, queryShares[place] as number);
      const bonus = settings.bigramWeight * (bigrams[place] as number);
      scores[place] = scaleSum(sums[place] as number) * factor + bonus;
    }
  }

  /** How much of the query, by idf, a tool has anywhere; 0 to 1. */
  readCoverage(plan: QueryPlan, tool: number): number {
    if (plan.mass === 0) return 0;
    let covered = 0;
    for (const stem of plan.stems) {
      covered += this.#index.hasTool(stem.list, tool) ? stem.idf * stem.weight : 0;
    }
    return Math.min(1, covered / plan.mass);
  }
}

/** A literal of numbers that are whole now and then makes V8 throw its optimised code away each time; this doesn't. */
class Features implements MatchFeatures {
  readonly nameCoverage: number;
  readonly queryShare: number;
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

/** A sum of whole numbers as the sum of weights × impacts that it stands for. */
export function scaleSum(sum: number): number {
  return sum / (WEIGHT_SCALE * IMPACT_SCALE);
}
