import type { Bm25Index } from './bm25-index.ts';
import type { QueryPlan } from './plan-query.ts';
import {
  denseImpacts,
  findImpact,
  foldedDifferences,
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  headBytes,
  isDense,
  readLength,
} from './posting-list.ts';

/**
 * What the terms of a few tools add up to, for a request and for each of its clauses. A clause has the words of the
 * request, so each list is read once for all of them.
 */
export class CandidateTerms {
  readonly #index: Bm25Index;
  /** By tool: its place among the candidates plus one. 0 for all others. */
  readonly #places: Uint32Array;
  #tools: Uint32Array = new Uint32Array(0);
  /** By list: the impact of each candidate. */
  readonly #impacts: Map<number, Uint8Array> = new Map();

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#places = new Uint32Array(index.toolCount);
  }

  /** Makes these tools the candidates. */
  open(tools: Uint32Array): void {
    for (const tool of this.#tools) {
      this.#places[tool] = 0;
    }
    for (let at = 0; at < tools.length; at += 1) {
      this.#places[tools[at] as number] = at + 1;
    }
    this.#tools = tools;
    this.#impacts.clear();
  }

  /** For each candidate the sum that `QueryRanker.sumTerms` gives: whole numbers below 2³¹. */
  sums({ lists }: QueryPlan): Int32Array {
    const sums = new Int32Array(this.#tools.length);
    for (const { list, weight } of lists) {
      const impacts = this.#impactsOf(list);
      for (let at = 0; at < sums.length; at += 1) {
        sums[at] = (sums[at] as number) + Math.imul(weight, impacts[at] as number);
      }
    }
    return sums;
  }

  /** For each candidate how much of a plan, by idf, it has anywhere, as `FeatureReader.readCoverage` gives it; 0 to 1. */
  coverages({ stems, mass }: QueryPlan): Float64Array {
    const covered = new Float64Array(this.#tools.length);
    if (mass === 0) {
      return covered;
    }
    for (const { list, idf, weight } of stems) {
      const impacts = this.#impactsOf(list);
      const part = idf * weight;
      for (let at = 0; at < covered.length; at += 1) {
        covered[at] = (covered[at] as number) + (impacts[at] === 0 ? 0 : part);
      }
    }
    for (let at = 0; at < covered.length; at += 1) {
      covered[at] = Math.min(1, (covered[at] as number) / mass);
    }
    return covered;
  }

  #impactsOf(list: number): Uint8Array {
    const known = this.#impacts.get(list);
    if (known !== undefined) {
      return known;
    }
    const { listStarts, postings } = this.#index.data;
    const start = listStarts[list] ?? 0;
    const end = listStarts[list + 1] ?? 0;
    const whole = this.#index.unfoldedList(list);
    const impacts = whole === list ? new Uint8Array(this.#tools.length) : this.#impactsOf(whole).slice();
    this.#impacts.set(list, impacts);
    if (whole !== list) {
      const differences = foldedDifferences(postings, start);
      if (readLength(postings, differences) > 0) {
        this.#readPlain(impacts, differences, end, -1);
      }
    } else if (start < end && isDense(readLength(postings, start), this.#index.toolCount)) {
      const first = denseImpacts(postings, start);
      for (let at = 0; at < impacts.length; at += 1) {
        impacts[at] = postings[first + (this.#tools[at] as number)] as number;
      }
    } else if (start < end) {
      this.#readPlain(impacts, start, end, 1);
    }
    return impacts;
  }

  /** Adds what a plain list has for the candidates, or takes it off. */
  #readPlain(impacts: Uint8Array, start: number, end: number, sign: 1 | -1): void {
    const { postings } = this.#index.data;
    const length = readLength(postings, start);
    if (length > impacts.length * LOOKUP_COST) {
      for (let at = 0; at < impacts.length; at += 1) {
        impacts[at] = (impacts[at] as number) + sign * findImpact(postings, start, end, this.#tools[at] as number);
      }
      return;
    }
    const places = this.#places;
    let next = 0;
    for (let at = start + headBytes(length); at < end; at += 1) {
      let gap = postings[at++] as number;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] as number) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] as number) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      const place = places[tool] as number;
      if (place !== 0) {
        impacts[place - 1] = (impacts[place - 1] as number) + sign * (postings[at] as number);
      }
    }
  }
}

/** Postings that can be read through in the time that it takes to look one up. */
const LOOKUP_COST = 24;
