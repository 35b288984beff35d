import { MOST_TOOLS } from '../bm25-options.ts';

/** Tools with what their terms add up to, in units of 1 / (weight scale × impact scale). Valid until the next are chosen. */
export interface RankedTools {
  readonly size: number;
  readonly tools: Uint32Array;
  readonly sums: Int32Array;
}

/** Tools with a sum each. */
export interface SummedTools {
  /** By tool. */
  readonly sums: Int32Array;
  /** The tools in question: the first `size` of these. */
  readonly tools: Uint32Array;
  readonly size: number;
  /** No sum is above this. */
  readonly most: number;
}

/** Chooses the best of many tools. A tool and its sum are one number, so that sorting needs no comparison function. */
export class BestTools {
  readonly #counter: RangeCounter = new RangeCounter();
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
    if (size > count) {
      selectGreatest(this.#keys, size, count);
    }
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

  /** Takes those that may be among the best. Returns how many they are. */
  #collect({ sums, tools, size, most }: SummedTools, count: number): number {
    if (this.#keys.length < size) {
      this.#keys = new Float64Array(size * 2);
      this.#tools = new Uint32Array(size * 2);
      this.#sums = new Int32Array(size * 2);
    }
    const keys = this.#keys;
    const own = this.#sums;
    for (let at = 0; at < size; at += 1) {
      own[at] = sums[tools[at] as number] as number;
    }
    const bar = size > count * 2 ? this.#counter.findBar(own, size, { count, most }) : 1;
    let found = 0;
    for (let at = 0; at < size; at += 1) {
      const sum = own[at] as number;
      // Written over by the next one if it is below the bar, so that the processor need not guess.
      keys[found] = sum * MOST_TOOLS + (MOST_TOOLS - 1 - (tools[at] as number));
      found += (bar - 1 - sum) >>> 31;
    }
    return found;
  }
}

const LEAST_KEYS = 16;

/**
 * Moves the greatest `count` of the first `size` numbers to the front, the least of them last among these, the others in no
 * order (Hoare's selection). `count` is 1 to `size`.
 */
function selectGreatest(numbers: Float64Array, size: number, count: number): void {
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((numbers[left] ?? 0) > pivot) {
        left += 1;
      }
      while ((numbers[right] ?? 0) < pivot) {
        right -= 1;
      }
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
 * Finds where the greatest of many numbers begin, by counting how many fall into each of many equal ranges. No two of them
 * are compared, which would be a guess for the processor, and a wrong one half of the time.
 */
export class RangeCounter {
  /**
   * A number that at least `count` of the first `size` come up to, not far below the last of them; 1 when there are fewer.
   * They are 0 to `most`, which is below 2³¹.
   */
  findBar(
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
    for (let at = whole; at < size; at += 1) {
      increase(counts, (numbers[at] as number) >>> shift);
    }
    let found = 0;
    for (let range = RANGES - 1; range >= 0; range -= 1) {
      found += (counts[range] as number) + (counts[range + RANGES] as number);
      if (found >= count) {
        return Math.max(1, range << shift);
      }
    }
    return 1;
  }
}

function increase(counts: Uint32Array, range: number): void {
  counts[range] = (counts[range] as number) + 1;
}

const RANGE_BITS = 8;
const RANGES: number = 1 << RANGE_BITS;

/**
 * Of the numbers at even places, then of those at odd ones: many are in the same range, and going up one count again and
 * again would have each step wait for the one before. Once for all: nothing is left in it after a call.
 */
const counts: Uint32Array = new Uint32Array(RANGES * 2);
