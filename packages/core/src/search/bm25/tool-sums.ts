import { GAP_GOES_ON, GAP_GOES_ON_TWICE, headBytes, readLength } from './posting-list.ts';
import { RangeCounter } from './range-counter.ts';

/** Postings of a plain list: where it starts and ends, and what each impact is multiplied with. */
export interface WeightedPostings {
  readonly postings: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/**
 * What the terms of each tool add up to, and the greatest sum of each block of tools that follow each other. The blocks say
 * where the best tools are, so that the others need not be looked at.
 */
export class ToolSums {
  /** Per tool, whole numbers below 2³¹: the planner sees to that. */
  readonly sums: Int32Array;
  /** Per block. */
  readonly #peaks: Int32Array;
  /** A block has 2 to the power of this tools. */
  readonly #shift: number;
  readonly #counter: RangeCounter = new RangeCounter();

  constructor(toolCount: number) {
    this.sums = new Int32Array(toolCount);
    this.#shift = Math.min(MOST_SHIFT, Math.max(0, 32 - Math.clz32(toolCount) - BLOCK_BITS));
    this.#peaks = new Int32Array((toolCount >>> this.#shift) + 1);
  }

  /** Adds the weighted impacts of a plain list. */
  addPlain({ postings, start, end, weight }: WeightedPostings): void {
    const { sums } = this;
    const peaks = this.#peaks;
    const shift = this.#shift;
    let next = 0;
    for (let at = start + headBytes(readLength(postings, start)); at < end; at += 1) {
      let gap = postings[at++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      const sum = ((sums[tool] ?? 0) + Math.imul(weight, postings[at] ?? 0)) | 0;
      sums[tool] = sum;
      // The greater of the two, in a way that the processor need not guess: half of its guesses would be wrong.
      const peak = peaks[tool >>> shift] ?? 0;
      const more = (sum - peak) | 0;
      peaks[tool >>> shift] = peak + (more & ~(more >> 31));
    }
  }

  /** The same for a dense list, whose impacts start at a place. */
  addDense(postings: Uint8Array, first: number, weight: number): void {
    const { sums } = this;
    const peaks = this.#peaks;
    const size = 1 << this.#shift;
    for (let start = 0, block = 0; start < sums.length; start += size, block += 1) {
      const end = Math.min(start + size, sums.length);
      let peak = peaks[block] ?? 0;
      for (let tool = start; tool < end; tool += 1) {
        const sum = ((sums[tool] ?? 0) + Math.imul(weight, postings[first + tool] ?? 0)) | 0;
        sums[tool] = sum;
        const more = (sum - peak) | 0;
        peak = (peak + (more & ~(more >> 31))) | 0;
      }
      peaks[block] = peak;
    }
  }

  /** Takes off what a list that is added next has too much: in between, sums may be below 0. */
  takeOff({ postings, start, end, weight }: WeightedPostings): void {
    const { sums } = this;
    let next = 0;
    for (let at = start + headBytes(readLength(postings, start)); at < end; at += 1) {
      let gap = postings[at++] ?? 0;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] ?? 0) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] ?? 0) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      sums[tool] = (sums[tool] ?? 0) - Math.imul(weight, postings[at] ?? 0);
    }
  }

  /** A sum that at least `count` tools have, each in a block of its own; 1 when there are not as many blocks. None is above `most`. */
  findBar(count: number, most: number): number {
    return this.#counter.findBar(this.#peaks, this.#peaks.length, { count, most });
  }

  /** How many blocks have a tool with at least this sum. */
  countBlocks(least: number): number {
    const peaks = this.#peaks;
    let count = 0;
    for (let block = 0; block < peaks.length; block += 1) {
      count += (least - 1 - (peaks[block] ?? 0)) >>> 31;
    }
    return count;
  }

  /** Tools per block. */
  get blockSize(): number {
    return 1 << this.#shift;
  }

  /** Puts the tools with at least this sum, which is above 0, into `tools`, which has room for all. Returns how many they are. */
  collect(least: number, tools: Uint32Array): number {
    const { sums } = this;
    const peaks = this.#peaks;
    const size = 1 << this.#shift;
    let found = 0;
    for (let block = 0; block < peaks.length; block += 1) {
      if ((peaks[block] ?? 0) < least) {
        continue;
      }
      const start = block << this.#shift;
      const end = Math.min(start + size, sums.length);
      for (let tool = start; tool < end; tool += 1) {
        // A block that is looked at mostly has one such tool: a branch that is nearly always the same is no guess.
        if ((sums[tool] ?? 0) >= least) {
          tools[found++] = tool;
        }
      }
    }
    return found;
  }

  /** Sets all sums to 0. */
  clear(): void {
    this.sums.fill(0);
    this.#peaks.fill(0);
  }
}

/** There are up to 2 to the power of this blocks as long as a block has up to 2 to the power of MOST_SHIFT tools, then more. */
const BLOCK_BITS = 10;
const MOST_SHIFT = 6;
