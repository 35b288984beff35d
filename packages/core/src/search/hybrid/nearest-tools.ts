import type { QueryVector, VectorScan } from '../semantic/index.ts';

export interface NearestOptions {
  /** How many tools at most. */
  readonly wanted: number;
  readonly allowed: ((tool: number) => boolean) | undefined;
}

/** Below this cosine two texts have nothing in common but chance. */
const LEAST_MEANING = 0.1;

/** How many sign neighbours are looked at in full for each one that is wanted. */
const SIGN_SLACK = 3;

/** The tools nearest to a vector, in catalog order; of equals at the end, those that come first in the catalog. */
export function nearestTools(scan: VectorScan, vector: QueryVector, { wanted, allowed }: NearestOptions): number[] {
  if (vector.isEmpty) return [];
  const near = scan.near(vector, wanted * SIGN_SLACK, allowed);
  const cosines = scan.cosines(vector, near);
  const last = greatestBut(cosines, wanted - 1);
  let above = 0;
  for (let at = 0; at < cosines.length; at += 1) above += (cosines[at] as number) > last ? 1 : 0;
  // Equals of the last one that still find a place.
  let equals = wanted - above;
  const nearest: number[] = [];
  for (let at = 0; at < near.length; at += 1) {
    const cosine = cosines[at] as number;
    if (cosine < LEAST_MEANING || cosine < last) continue;
    if (cosine > last || equals > 0) nearest.push(near[at] as number);
    if (cosine === last) equals -= 1;
  }
  return nearest;
}

/** The greatest number when so many greater ones are left out, or the least one where there are fewer (Hoare's selection). */
function greatestBut(numbers: Float64Array, leftOut: number): number {
  const place = Math.min(leftOut, numbers.length - 1);
  const some = numbers.slice();
  let [low, high] = [0, some.length - 1];
  while (low < high) {
    const pivot = some[(low + high) >>> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((some[left] as number) > pivot) left += 1;
      while ((some[right] as number) < pivot) right -= 1;
      if (left > right) break;
      const other = some[left] as number;
      some[left++] = some[right] as number;
      some[right--] = other;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return some[place] ?? 0;
}
