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
  const ascending = cosines.slice().sort();
  const last = ascending[Math.max(0, ascending.length - wanted)] ?? 0;
  // Equals of the last one that still find a place.
  let equals = ascending.length - Math.max(0, ascending.length - wanted) - countAbove(ascending, last);
  const nearest: number[] = [];
  for (let at = 0; at < near.length; at += 1) {
    const cosine = cosines[at] as number;
    if (cosine < LEAST_MEANING || cosine < last) continue;
    if (cosine > last || equals > 0) nearest.push(near[at] as number);
    if (cosine === last) equals -= 1;
  }
  return nearest;
}

function countAbove(ascending: Float64Array, value: number): number {
  return ascending.length - 1 - ascending.lastIndexOf(value);
}
