import { RangeCounter } from './range-counter.ts';

/** Tools with what their terms add up to, in units of 1 / (weight scale × impact scale). Valid until the next are chosen. */
export interface RankedTools {
  readonly size: number;
  readonly tools: Uint32Array;
  readonly sums: Int32Array;
}

/** An index holds fewer tools than this, so that a sum below 2³¹ and a tool fit into one double. */
export const MOST_TOOLS = 0x200000;

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
