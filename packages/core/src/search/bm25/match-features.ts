import type { Bm25Index } from './bm25-index.ts';
import { IMPACT_SCALE } from './bm25-index.ts';
import type { PlannedStem, QueryPlan } from './plan-query.ts';
import { WEIGHT_SCALE } from './plan-query.ts';

/** How a tool's own words lie to a query, beside the sum of its terms. */
export interface MatchFeatures {
  /** How much of its name, by idf, the query covers; 0 to 1. */
  readonly nameCoverage: number;
  /** How much of the query, by idf, its name covers; 0 to 1. */
  readonly queryShare: number;
  /** The smaller idf of each pair of neighbours that query and name or description have in common, added up. */
  readonly bigrams: number;
}

/** Reads the features of tools for one query after the other. */
export class FeatureReader {
  readonly #index: Bm25Index;
  /** By the key of a stem: its number in the plan plus one. */
  readonly #numbers: Uint8Array = new Uint8Array(0x10000);
  #plan: QueryPlan | undefined;

  constructor(index: Bm25Index) {
    this.#index = index;
  }

  /** Makes a query the one that is read for. */
  open(plan: QueryPlan): void {
    for (const stem of this.#plan?.stems ?? []) {
      this.#numbers[stem.key] = 0;
    }
    this.#plan = plan;
    for (let number = 0; number < plan.stems.length; number += 1) {
      this.#numbers[plan.stems[number]?.key ?? 0] = number + 1;
    }
  }

  read(tool: number): MatchFeatures {
    const plan = this.#plan;
    if (plan === undefined || plan.stems.length === 0) {
      return { nameCoverage: 0, queryShare: 0, bigrams: 0 };
    }
    const { sequences, sequenceStarts, nameLengths, nameMasses } = this.#index.data;
    const start = sequenceStarts[tool] ?? 0;
    const end = sequenceStarts[tool + 1] ?? 0;
    const nameEnd = start + (nameLengths[tool] ?? 0);
    let nameMass = 0;
    let queryMass = 0;
    let bigrams = 0;
    let seen: Set<number> | undefined;
    let previous = 0;
    for (let at = start; at < end; at += 1) {
      const number = this.#numbers[sequences[at] ?? 0] ?? 0;
      if (at === nameEnd) {
        previous = 0;
      }
      if (number !== 0) {
        const stem = plan.stems[number - 1] as PlannedStem;
        if (at < nameEnd) {
          nameMass += stem.idf;
          queryMass += stem.idf * stem.weight;
        }
        const bigram = (previous - 1) * 256 + number - 1;
        if (previous !== 0 && plan.bigrams.has(bigram) && seen?.has(bigram) !== true) {
          seen ??= new Set();
          seen.add(bigram);
          bigrams += Math.min(stem.idf, plan.stems[previous - 1]?.idf ?? 0);
        }
      }
      previous = number;
    }
    const mass = nameMasses[tool] ?? 0;
    return {
      nameCoverage: mass > 0 ? Math.min(1, nameMass / mass) : 0,
      queryShare: plan.mass > 0 ? Math.min(1, queryMass / plan.mass) : 0,
      bigrams,
    };
  }

  /** How much of the query, by idf, a tool has anywhere; 0 to 1. */
  readCoverage(tool: number): number {
    const plan = this.#plan;
    if (plan === undefined || plan.mass === 0) {
      return 0;
    }
    let covered = 0;
    for (const stem of plan.stems) {
      covered += this.#index.hasTool(stem.list, tool) ? stem.idf * stem.weight : 0;
    }
    return Math.min(1, covered / plan.mass);
  }
}

/** The score of a tool from the sum of its terms: see `Bm25Options` for the formula. */
export function combineScore(index: Bm25Index, sum: number, features: MatchFeatures): number {
  const { nameCoverageWeight, nameMatchWeight, bigramWeight } = index.data.settings;
  const { nameCoverage, queryShare, bigrams } = features;
  const factor = 1 + nameCoverageWeight * nameCoverage + nameMatchWeight * Math.sqrt(nameCoverage * queryShare);
  return scaleSum(sum) * factor + bigramWeight * bigrams;
}

/** A sum of whole numbers as the sum of weights × impacts that it stands for. */
export function scaleSum(sum: number): number {
  return sum / (WEIGHT_SCALE * IMPACT_SCALE);
}
