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
