/**
 * Finds where the greatest of many numbers begin, by counting how many fall into each of many equal ranges. No two of them
 * are compared, which would be a guess for the processor, and a wrong one half of the time.
 */
export class RangeCounter {
  readonly #counts: Uint32Array = new Uint32Array(RANGES);

  /**
   * A number that at least `count` of the first `size` come up to, not far below the last of them; 1 when there are fewer.
   * They are 0 to `most`, which is below 2³¹.
   */
  findBar(
    numbers: Int32Array,
    size: number,
    { count, most }: { readonly count: number; readonly most: number },
  ): number {
    const counts = this.#counts;
    const shift = Math.max(0, 32 - RANGE_BITS - Math.clz32(most));
    counts.fill(0);
    for (let at = 0; at < size; at += 1) {
      const range = (numbers[at] ?? 0) >>> shift;
      counts[range] = (counts[range] ?? 0) + 1;
    }
    let found = 0;
    for (let range = RANGES - 1; range >= 0; range -= 1) {
      found += counts[range] ?? 0;
      if (found >= count) {
        return Math.max(1, range << shift);
      }
    }
    return 1;
  }
}

const RANGE_BITS = 8;
const RANGES: number = 1 << RANGE_BITS;
