import { setSigns, signWords } from './vector-index.ts';

/**
 * A request's vector as an index compares it. Components are whole numbers of 31 bits, sign included, so that products add
 * up to the same in whatever order and on whatever engine they are added.
 */
export interface QueryVector {
  readonly components: Int32Array;
  /** What components are multiplied by to be those of the vector. */
  readonly scale: number;
  /** As in a `VectorIndex`. */
  readonly signs: Int32Array;
  /** All zeros: a request without any known word. */
  readonly isEmpty: boolean;
}

export function toQueryVector(vector: Float32Array): QueryVector {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i] as number);
    if (size > largest) largest = size;
  }
  const components = new Int32Array(vector.length);
  const signs = new Int32Array(signWords(vector.length));
  if (largest === 0) return { components, scale: 0, signs, isEmpty: true };
  const factor = PEAK / largest;
  for (let i = 0; i < vector.length; i++) components[i] = Math.round((vector[i] as number) * factor);
  setSigns(signs, 0, vector);
  return { components, scale: largest / PEAK, signs, isEmpty: false };
}

const PEAK = 2 ** 30 - 1;
