import { GAP_GOES_ON, GAP_GOES_ON_TWICE, headBytes, readLength } from '../index/index.ts';
import { RangeCounter } from './best-tools.ts';

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
 *
 * V8 checks the arrays in each round of a loop, which takes as long as adding a posting: loops do four things in
 * a round where they can.
 */
export class ToolSums {
  /** Per tool, whole numbers below 2³¹: the planner sees to that. */
  readonly sums: Int32Array;
  /** Per block. */
  readonly #peaks: Int32Array;
  /** Those that were looked for last. */
  readonly #blocks: Uint32Array;
  /** A block has 2 to the power of this tools. */
  readonly #shift: number;
  readonly #counter: RangeCounter = new RangeCounter();

  constructor(toolCount: number) {
    this.sums = new Int32Array(toolCount);
    this.#shift = Math.min(MOST_SHIFT, Math.max(0, 32 - Math.clz32(toolCount) - BLOCK_BITS));
    this.#peaks = new Int32Array((toolCount >>> this.#shift) + 1);
    this.#blocks = new Uint32Array(this.#peaks.length);
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.sums.byteLength + this.#peaks.byteLength + this.#blocks.byteLength;
  }

  /**
   * Adds the weighted impacts of a plain list. A weight below 0 takes off what a list that is added next has too much: in between, sums
   * may be below 0, and no peak moves.
   */
  addPlain({ postings, start, end, weight }: WeightedPostings): void {
    const { sums } = this;
    const peaks = this.#peaks;
    const shift = this.#shift;
    const factor = weight | 0;
    let next = 0;
    let at = start + headBytes(readLength(postings, start));
    while (at < end) {
      if (at + FOUR_SHORT <= end && areShort(postings, at)) {
        const first = next + (postings[at] as number);
        const second = first + 1 + (postings[at + 2] as number);
        const third = second + 1 + (postings[at + 4] as number);
        const fourth = third + 1 + (postings[at + 6] as number);
        raisePeak(peaks, first >>> shift, raise(sums, first, Math.imul(factor, postings[at + 1] as number)));
        raisePeak(peaks, second >>> shift, raise(sums, second, Math.imul(factor, postings[at + 3] as number)));
        raisePeak(peaks, third >>> shift, raise(sums, third, Math.imul(factor, postings[at + 5] as number)));
        raisePeak(peaks, fourth >>> shift, raise(sums, fourth, Math.imul(factor, postings[at + 7] as number)));
        next = fourth + 1;
        at += FOUR_SHORT;
        continue;
      }
      let gap = postings[at++] as number;
      if (gap >= GAP_GOES_ON) {
        gap = (gap & 0x7f) | ((postings[at++] as number) << 7);
        if (gap >= GAP_GOES_ON_TWICE) {
          gap = (gap & 0x3fff) | ((postings[at++] as number) << 14);
        }
      }
      const tool = next + gap;
      next = tool + 1;
      raisePeak(peaks, tool >>> shift, raise(sums, tool, Math.imul(factor, postings[at++] as number)));
    }
  }

  /** The same for a dense list, whose impacts start at a place. */
  addDense(postings: Uint8Array, first: number, weight: number): void {
    const { sums } = this;
    const peaks = this.#peaks;
    const shift = this.#shift;
    const factor = weight | 0;
    // Four tools that are of one block.
    const whole = shift < 2 ? 0 : sums.length & ~3;
    for (let tool = 0; tool < whole; tool += 4) {
      const at = first + tool;
      const one = raise(sums, tool, Math.imul(factor, postings[at] as number));
      const two = raise(sums, tool + 1, Math.imul(factor, postings[at + 1] as number));
      const three = raise(sums, tool + 2, Math.imul(factor, postings[at + 2] as number));
      const four = raise(sums, tool + 3, Math.imul(factor, postings[at + 3] as number));
      raisePeak(peaks, tool >>> shift, greater(greater(one, two), greater(three, four)));
    }
    for (let tool = whole; tool < sums.length; tool += 1) {
      raisePeak(peaks, tool >>> shift, raise(sums, tool, Math.imul(factor, postings[first + tool] as number)));
    }
  }

  /** A sum that at least `count` tools have, each in a block of its own; 1 when there are not as many blocks. None is above `most`. */
  findBar(count: number, most: number): number {
    return this.#counter.findBar(this.#peaks, this.#peaks.length, { count, most });
  }

  /** How many blocks have a tool with at least this sum. */
  countBlocks(least: number): number {
    return this.#findBlocks(least - 1);
  }

  /** Tools per block. */
  get blockSize(): number {
    return 1 << this.#shift;
  }

  /** Puts the tools with at least this sum, which is above 0, into `tools`, which has room for all. Returns how many they are. */
  collect(least: number, tools: Uint32Array): number {
    const { sums } = this;
    const blocks = this.#blocks;
    const shift = this.#shift;
    const size = 1 << shift;
    const below = (least - 1) | 0;
    const blockCount = this.#findBlocks(below);
    let found = 0;
    for (let at = 0; at < blockCount; at += 1) {
      const start = (blocks[at] as number) << shift;
      const end = Math.min(start + size, sums.length);
      const whole = start + ((end - start) & ~3);
      for (let tool = start; tool < whole; tool += 4) {
        tools[found] = tool;
        found += isAbove(sums[tool] as number, below);
        tools[found] = tool + 1;
        found += isAbove(sums[tool + 1] as number, below);
        tools[found] = tool + 2;
        found += isAbove(sums[tool + 2] as number, below);
        tools[found] = tool + 3;
        found += isAbove(sums[tool + 3] as number, below);
      }
      for (let tool = whole; tool < end; tool += 1) {
        tools[found] = tool;
        found += isAbove(sums[tool] as number, below);
      }
    }
    return found;
  }

  /** Puts the blocks with a tool above this sum into `#blocks`. Returns how many they are. */
  #findBlocks(below: number): number {
    const peaks = this.#peaks;
    const blocks = this.#blocks;
    const whole = peaks.length & ~3;
    let found = 0;
    for (let block = 0; block < whole; block += 4) {
      blocks[found] = block;
      found += isAbove(peaks[block] as number, below);
      blocks[found] = block + 1;
      found += isAbove(peaks[block + 1] as number, below);
      blocks[found] = block + 2;
      found += isAbove(peaks[block + 2] as number, below);
      blocks[found] = block + 3;
      found += isAbove(peaks[block + 3] as number, below);
    }
    for (let block = whole; block < peaks.length; block += 1) {
      blocks[found] = block;
      found += isAbove(peaks[block] as number, below);
    }
    return found;
  }

  /** Sets all sums to 0. */
  clear(): void {
    this.sums.fill(0);
    this.#peaks.fill(0);
  }
}

/** Whether each of the four postings at a place has a gap of one byte. */
function areShort(postings: Uint8Array, at: number): boolean {
  const gaps =
    (postings[at] as number) |
    (postings[at + 2] as number) |
    (postings[at + 4] as number) |
    (postings[at + 6] as number);
  return gaps < GAP_GOES_ON;
}

/** Adds to a tool's sum. Returns what it is then. */
function raise(sums: Int32Array, tool: number, gain: number): number {
  const sum = ((sums[tool] as number) + gain) | 0;
  sums[tool] = sum;
  return sum;
}

/**
 * 1 or 0, for going on to the next place only after what belongs there: the processor need not guess. Neither is below 0.
 */
function isAbove(sum: number, below: number): number {
  return (below - sum) >>> 31;
}

function raisePeak(peaks: Int32Array, block: number, sum: number): void {
  peaks[block] = greater(peaks[block] as number, sum);
}

/** In a way that the processor need not guess: half of its guesses would be wrong. The difference is below 2³¹. */
function greater(left: number, right: number): number {
  const more = (right - left) | 0;
  return (left + (more & ~(more >> 31))) | 0;
}

/** Bytes of four postings with gaps of one byte. */
const FOUR_SHORT = 8;
/** There are up to 2 to the power of this blocks as long as a block has up to 2 to the power of MOST_SHIFT tools, then more. */
const BLOCK_BITS = 10;
const MOST_SHIFT = 6;
