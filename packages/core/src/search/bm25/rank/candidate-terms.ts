import {
  type Bm25Index,
  denseImpacts,
  findImpact,
  foldedDifferences,
  GAP_GOES_ON,
  GAP_GOES_ON_TWICE,
  headBytes,
  isDense,
  readLength,
} from '../index/index.ts';
import type { QueryPlan } from './plan-query.ts';

const NONE: Uint32Array = new Uint32Array(0);
const NO_DIFFERENCES: Uint8Array = new Uint8Array(0);
const LEAST_ENTRIES = 4_096;

/** What reading lists needs, once for all indexes of a thread: a request is over before the next one begins. */
const scratch: Scratch = { entries: new Uint32Array(LEAST_ENTRIES), differences: NO_DIFFERENCES };

interface Scratch {
  /** `place × 256 + impact`, places ascending in a run. */
  entries: Uint32Array;
  /** By place; all 0 between two lists. */
  differences: Uint8Array;
}

/**
 * What the terms of a few tools add up to, for a request and for each of its clauses. A clause has the words of the
 * request, so each list is read once for all of them, and of a list only the candidates that it names are kept.
 */
export class CandidateTerms {
  readonly #index: Bm25Index;
  /** By tool: its place among the candidates plus one. 0 for all others. */
  readonly #places: Uint32Array;
  #tools: Uint32Array = NONE;
  /** By list, what it has of the candidates: a run of `entries`. */
  readonly #runs: Map<number, Run> = new Map();
  #used = 0;

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#places = new Uint32Array(index.toolCount);
  }

  /** Makes these tools the candidates. They are ascending. Between this and {@link close} nothing else may be opened. */
  open(tools: Uint32Array): void {
    this.close();
    for (let at = 0; at < tools.length; at += 1) {
      this.#places[tools[at] as number] = at + 1;
    }
    this.#tools = tools;
    if (scratch.differences.length < tools.length) {
      scratch.differences = new Uint8Array(tools.length * 2);
    }
  }

  /** Keeps nothing of a request, nor what a large one took. */
  close(): void {
    for (const tool of this.#tools) {
      this.#places[tool] = 0;
    }
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

  /** For each candidate the sum that `QueryRanker.sumTerms` gives: whole numbers below 2³¹. */
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

  /** For each candidate how much of a plan, by idf, it has anywhere, as `FeatureReader.readCoverage` gives it; 0 to 1. */
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
    for (let at = 0; at < covered.length; at += 1) {
      covered[at] = Math.min(1, (covered[at] as number) / mass);
    }
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

  /** What the list that another is folded into has, less the differences. */
  #readFolded({ start, end }: Run, from: number, to: number): void {
    const { postings } = this.#index.data;
    const { entries, differences } = scratch;
    const before = this.#used;
    if (readLength(postings, from) > 0) {
      this.#readPlain(from, to);
    }
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
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] as number) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      const place = places[tool] as number;
      if (place !== 0) {
        entries[used++] = (place - 1) * 256 + (postings[at] as number);
      }
    }
    this.#used = used;
  }
}

/** From `start` to `end`. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/** More is given back after a request: every tool of a large catalog was a candidate. */
const MOST_KEPT_ENTRIES = 65_536;
/** Postings that can be read through in the time that it takes to look one up. */
const LOOKUP_COST = 24;
