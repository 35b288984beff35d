import type { Marked } from '../kept/index.ts';
import type { VectorIndex } from './vector-index.ts';

/** An index whose vectors are known by what their tools can be found by. */
export interface MarkedVectors extends VectorIndex, Marked {}

/** Copies a vector with all that belongs to it. */
export function copyVector(from: VectorIndex, id: number, to: VectorIndex, at: number): void {
  const { dimensions } = to;
  const words = Math.ceil(dimensions / 32);
  to.components.set(from.components.subarray(id * dimensions, (id + 1) * dimensions), at * dimensions);
  to.signs.set(from.signs.subarray(id * words, (id + 1) * words), at * words);
  to.scales[at] = from.scales[id] as number;
}
