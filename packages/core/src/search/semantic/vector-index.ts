import { runToEnd, stepThrough } from '../slices/index.ts';
import { allocateVectors } from './vector-memory.ts';

/**
 * Unit vectors of a catalog, as bytes, with the sign bits beside them. Flat typed arrays over one buffer: another thread
 * can be given a copy of it.
 */
export interface VectorIndex {
  readonly count: number;
  readonly dimensions: number;
  /** `count * dimensions` components, each vector scaled so that its largest component is ±127. */
  readonly components: Int8Array;
  /** What a vector's components are multiplied by to be of unit length again. */
  readonly scales: Float32Array;
  /** `count * ⌈dimensions / 32⌉` words; bit i is set where component i is negative. */
  readonly signs: Int32Array;
  /** The sum of all the vectors. */
  readonly sum: Float64Array;
}

export type VectorIndexSize = Pick<VectorIndex, 'count' | 'dimensions'>;

/** The largest component of an indexed vector. */
const COMPONENT_PEAK = 127;

/** The unit vector of each id; may be the same array every time. */
export type VectorOf = (id: number) => Float32Array;

/** An index of `count` vectors. */
export function buildVectorIndex(count: number, dimensions: number, vectorOf: VectorOf): VectorIndex {
  return runToEnd(buildVectorIndexInSteps({ count, dimensions }, vectorOf));
}

/** What {@link buildVectorIndex} gives, with a yield between two vectors: a large catalog takes seconds, and others wait for the thread. */
export function* buildVectorIndexInSteps(size: VectorIndexSize, vectorOf: VectorOf): Generator<void, VectorIndex> {
  const { count, dimensions } = size;
  const sum = new Float64Array(dimensions);
  const index: VectorIndex = { count, dimensions, ...allocateVectors(count, dimensions), sum };
  yield* stepThrough(count, (id) => {
    writeVector(index, id, vectorOf(id));
    return id + 1;
  });
  return index;
}

/** Bytes of its arrays. In a WebAssembly memory, what lies beside them is counted by its scan. */
export function vectorBytes({ components, scales, signs, sum }: VectorIndex): number {
  return components.byteLength + scales.byteLength + signs.byteLength + sum.byteLength;
}

/** Words of sign bits of one vector. */
export function signWords(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Writes the bits of a vector, 32 components a word. */
export function setSigns(signs: Int32Array, at: number, vector: Float32Array): void {
  for (let start = 0, word = at; start < vector.length; start += 32, word++) {
    const end = Math.min(start + 32, vector.length);
    let bits = 0;
    for (let i = start; i < end; i++) bits |= ((vector[i] as number) < 0 ? 1 : 0) << (i & 31);
    signs[word] = bits;
  }
}

/** Puts a unit vector into an index, once. */
function writeVector(index: VectorIndex, id: number, vector: Float32Array): void {
  const { components, dimensions, scales, signs, sum } = index;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) {
    const component = vector[i] as number;
    const size = Math.abs(component);
    if (size > largest) largest = size;
    sum[i] = (sum[i] as number) + component;
  }
  if (largest === 0) return;
  const start = id * dimensions;
  for (let i = 0; i < dimensions; i++) {
    components[start + i] = Math.round(((vector[i] as number) / largest) * COMPONENT_PEAK);
  }
  scales[id] = largest / COMPONENT_PEAK;
  setSigns(signs, id * signWords(dimensions), vector);
}
