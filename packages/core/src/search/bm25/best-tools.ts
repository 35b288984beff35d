/** A tool with what its terms add up to, in units of 1 / (weight scale × impact scale). */
export interface RankedTool {
  readonly tool: number;
  readonly sum: number;
}

/** An index holds fewer tools than this, so that a sum below 2³¹ and a tool fit into one double. */
export const MOST_TOOLS = 0x200000;

/**
 * Keeps the best of many tools without comparing each with each: four times as many as wanted are let in before the worst
 * are thrown out. A tool and its sum are one number, so that sorting needs no comparison function.
 */
export class BestTools {
  readonly #count: number;
  #kept: Float64Array;
  #size = 0;
  /** Sums below this can't get in. At least `count` tools have it as soon as it is above 1. */
  bar = 1;

  constructor(count: number, candidates: number) {
    this.#count = count;
    this.#kept = new Float64Array(Math.min(count * 4, Math.max(count, candidates)) + 1);
  }

  /** Takes a tool whose sum is not below the bar. */
  add(tool: number, sum: number): void {
    this.#kept[this.#size++] = sum * MOST_TOOLS + (MOST_TOOLS - 1 - tool);
    if (this.#size === this.#kept.length) {
      this.raiseBar();
    }
  }

  /** Throws out all but the wanted ones. */
  raiseBar(): void {
    const kept = this.#kept;
    if (this.#size < this.#count) {
      return;
    }
    selectGreatest(kept, this.#size, this.#count);
    this.#size = this.#count;
    this.bar = Math.max(1, Math.floor((kept[this.#count - 1] ?? 0) / MOST_TOOLS));
  }

  /** The wanted ones, best first, ties in catalog order. */
  finish(): RankedTool[] {
    this.raiseBar();
    this.#kept.subarray(0, this.#size).sort();
    const ranked: RankedTool[] = [];
    for (let at = this.#size - 1; at >= 0; at -= 1) {
      const key = this.#kept[at] ?? 0;
      const sum = Math.floor(key / MOST_TOOLS);
      ranked.push({ tool: MOST_TOOLS - 1 - (key - sum * MOST_TOOLS), sum });
    }
    return ranked;
  }
}

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
