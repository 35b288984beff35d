import { MOST_TOOLS } from '../bm25-options.ts';
import { GAP_GOES_ON, GAP_GOES_ON_TWICE, headBytes, readLength } from '../index/posting-list.ts';

/** The postings of a plain list: where it starts and ends, and the factor of each impact. */
export interface WeightedPostings {
  readonly postings: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/**
 * The sum of each tool's terms, and the greatest sum of each block of consecutive tools. The blocks show where the best tools are, so
 * that the others don't have to be read.
 *
 * V8 checks the arrays in each iteration of a loop, which takes as long as adding a posting, so loops are unrolled four times where
 * possible.
 */
export class ToolSums {
  /** Per tool, whole numbers below 2³¹; the planner ensures that. */
  readonly sums: Int32Array;
  /** Per block. */
  readonly #peaks: Int32Array;
  /** Those that were looked for last. */
  readonly #blocks: Uint32Array;
  /** A block has 2 to the power of this tools. */
  readonly #shift: number;

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
   * Adds the weighted impacts of a plain list. A negative weight subtracts what a list that is added next has too much: in between,
   * sums may be negative, and no block's maximum changes.
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
        if (gap >= GAP_GOES_ON_TWICE) gap = (gap & 0x3fff) | ((postings[at++] as number) << 14);
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
    // Four tools of one block.
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

  /** A sum that at least `count` tools in different blocks reach; 1 if there are fewer blocks. No sum is above `most`. */
  findBar(count: number, most: number): number {
    return findBar(this.#peaks, this.#peaks.length, { count, most });
  }

  /** Writes the tools with at least this sum, which is above 0, to `tools`, which has room for all. Returns their number. */
  collect(least: number, tools: Uint32Array): number {
    const { sums } = this;
    const blocks = this.#blocks;
    const shift = this.#shift;
    const size = 1 << shift;
    const below = (least - 1) | 0;
    const blockCount = listAbove(this.#peaks, 0, this.#peaks.length, below, blocks, 0);
    let found = 0;
    for (let at = 0; at < blockCount; at += 1) {
      const start = (blocks[at] as number) << shift;
      found = listAbove(sums, start, Math.min(start + size, sums.length), below, tools, found);
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

/** Adds to a tool's sum. Returns the new sum. */
function raise(sums: Int32Array, tool: number, gain: number): number {
  const sum = ((sums[tool] as number) + gain) | 0;
  sums[tool] = sum;
  return sum;
}

/**
 * 1 or 0, to advance only past an entry that belongs there, without a branch that the processor might mispredict. Neither argument is
 * negative.
 */
function isAbove(sum: number, below: number): number {
  return (below - sum) >>> 31;
}

/** Writes the positions from `start` to `end` whose values are above `below` to `into`, from `found` on. Returns where they end. */
function listAbove(
  values: Int32Array,
  start: number,
  end: number,
  below: number,
  into: Uint32Array,
  found: number,
): number {
  const whole = start + ((end - start) & ~3);
  let size = found;
  for (let place = start; place < whole; place += 4) {
    into[size] = place;
    size += isAbove(values[place] as number, below);
    into[size] = place + 1;
    size += isAbove(values[place + 1] as number, below);
    into[size] = place + 2;
    size += isAbove(values[place + 2] as number, below);
    into[size] = place + 3;
    size += isAbove(values[place + 3] as number, below);
  }
  for (let place = whole; place < end; place += 1) {
    into[size] = place;
    size += isAbove(values[place] as number, below);
  }
  return size;
}

function raisePeak(peaks: Int32Array, block: number, sum: number): void {
  peaks[block] = greater(peaks[block] as number, sum);
}

/** Without a branch, half of which would be mispredicted. The difference is below 2³¹. */
function greater(left: number, right: number): number {
  const more = (right - left) | 0;
  return (left + (more & ~(more >> 31))) | 0;
}

/** Bytes of four postings with gaps of one byte. */
const FOUR_SHORT = 8;
/** There are up to 2 to the power of this blocks as long as a block has up to 2 to the power of MOST_SHIFT tools, then more. */
const BLOCK_BITS = 10;
const MOST_SHIFT = 6;

/** Tools with the sums of their terms, in units of 1 / (weight scale × impact scale). Valid until the next selection. */
export interface RankedTools {
  readonly size: number;
  readonly tools: Uint32Array;
  readonly sums: Int32Array;
}

/** Tools with a sum each. */
export interface SummedTools {
  /** By tool. */
  readonly sums: Int32Array;
  /** The tools: the first `size` of these. */
  readonly tools: Uint32Array;
  readonly size: number;
  /** No sum is above this. */
  readonly most: number;
}

/** Chooses the best of many tools. A tool and its sum are one number, so that sorting needs no comparison function. */
export class BestTools {
  #keys: Float64Array = new Float64Array(LEAST_KEYS);
  #tools: Uint32Array = new Uint32Array(LEAST_KEYS);
  #sums: Int32Array = new Int32Array(LEAST_KEYS);

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#keys.byteLength + this.#tools.byteLength + this.#sums.byteLength;
  }

  /** The best in no order, ties decided by catalog order. */
  choose(summed: SummedTools, count: number): RankedTools {
    const size = this.#collect(summed, count);
    if (size > count) selectGreatest(this.#keys, size, count);
    return this.#unpack(Math.min(size, count));
  }

  /** The best, best first, ties in catalog order. */
  rank(summed: SummedTools, count: number): RankedTools {
    const size = this.#collect(summed, count);
    this.#keys.subarray(0, size).sort().reverse();
    return this.#unpack(Math.min(size, count));
  }

  #unpack(size: number): RankedTools {
    const keys = this.#keys;
    const tools = this.#tools;
    const sums = this.#sums;
    for (let at = 0; at < size; at += 1) {
      const key = keys[at] ?? 0;
      const sum = Math.floor(key / MOST_TOOLS);
      sums[at] = sum;
      tools[at] = MOST_TOOLS - 1 - (key - sum * MOST_TOOLS);
    }
    return { size, tools, sums };
  }

  /** Takes those that may be among the best. Returns their number. */
  #collect({ sums, tools, size, most }: SummedTools, count: number): number {
    if (this.#keys.length < size) {
      this.#keys = new Float64Array(size * 2);
      this.#tools = new Uint32Array(size * 2);
      this.#sums = new Int32Array(size * 2);
    }
    const keys = this.#keys;
    const own = this.#sums;
    for (let at = 0; at < size; at += 1) own[at] = sums[tools[at] as number] as number;
    const bar = size > count * 2 ? findBar(own, size, { count, most }) : 1;
    let found = 0;
    for (let at = 0; at < size; at += 1) {
      const sum = own[at] as number;
      // Overwritten by the next one if it is below the bar, which saves a branch that would be mispredicted.
      keys[found] = sum * MOST_TOOLS + (MOST_TOOLS - 1 - (tools[at] as number));
      found += (bar - 1 - sum) >>> 31;
    }
    return found;
  }
}

const LEAST_KEYS = 16;

/**
 * Moves the greatest `count` of the first `size` numbers to the front, the smallest of them last, the others in no order (Hoare's
 * selection). `count` is 1 to `size`.
 */
function selectGreatest(numbers: Float64Array, size: number, count: number): void {
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((numbers[left] ?? 0) > pivot) left += 1;
      while ((numbers[right] ?? 0) < pivot) right -= 1;
      if (left <= right) {
        const other = numbers[left] ?? 0;
        numbers[left++] = numbers[right] ?? 0;
        numbers[right--] = other;
      }
    }
    if (count - 1 <= right) {
      high = right;
    } else if (count - 1 >= left) {
      low = left;
    } else {
      return;
    }
  }
}

/**
 * A number that at least `count` of the first `size` numbers reach, not far below the last of these; 1 if there are fewer. The
 * numbers are from 0 to `most`, which is below 2³¹. Counts how many fall into each of many equal ranges instead of comparing them,
 * because half of the comparisons would be mispredicted.
 */
export function findBar(
  numbers: Int32Array,
  size: number,
  { count, most }: { readonly count: number; readonly most: number },
): number {
  const shift = Math.max(0, 32 - RANGE_BITS - Math.clz32(most));
  counts.fill(0);
  const whole = size & ~3;
  for (let at = 0; at < whole; at += 4) {
    increase(counts, (numbers[at] as number) >>> shift);
    increase(counts, ((numbers[at + 1] as number) >>> shift) + RANGES);
    increase(counts, (numbers[at + 2] as number) >>> shift);
    increase(counts, ((numbers[at + 3] as number) >>> shift) + RANGES);
  }
  for (let at = whole; at < size; at += 1) increase(counts, (numbers[at] as number) >>> shift);
  let found = 0;
  for (let range = RANGES - 1; range >= 0; range -= 1) {
    found += (counts[range] as number) + (counts[range + RANGES] as number);
    if (found >= count) return Math.max(1, range << shift);
  }
  return 1;
}

function increase(counts: Uint32Array, range: number): void {
  counts[range] = (counts[range] as number) + 1;
}

const RANGE_BITS = 8;
const RANGES: number = 1 << RANGE_BITS;

/**
 * Separate counts for numbers at even and at odd positions: many are in the same range, and increasing one counter repeatedly would
 * make each step wait for the one before. Shared by all calls: it is cleared after each.
 */
const counts: Uint32Array = new Uint32Array(RANGES * 2);
