/** Unit vectors of a catalog, as bytes, with the sign bits beside them. Flat typed arrays: it can be handed to another thread. */
export interface VectorIndex {
  readonly count: number;
  readonly dimensions: number;
  /** `count * dimensions` components, each vector scaled so that its largest component is ±127. */
  readonly components: Int8Array;
  /** What a vector's components are multiplied by to be of unit length again. */
  readonly scales: Float32Array;
  /** `count * dimensions / 32` words; bit i is set where component i is negative. */
  readonly signs: Int32Array;
}

/** An index of `count` vectors; `vectorOf` gives the unit vector of each. */
export function buildVectorIndex(
  count: number,
  dimensions: number,
  vectorOf: (index: number) => Float32Array,
): VectorIndex {
  const words = wordsOf(dimensions);
  const index: VectorIndex = {
    count,
    dimensions,
    components: new Int8Array(count * dimensions),
    scales: new Float32Array(count),
    signs: new Int32Array(count * words),
  };
  for (let i = 0; i < count; i++) writeVector(index, i, vectorOf(i));
  return index;
}

/** The cosine of a unit vector with one indexed vector. */
export function cosine(index: VectorIndex, query: Float32Array, id: number): number {
  const { components, dimensions } = index;
  const start = id * dimensions;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < dimensions; i += 4) {
    a += (query[i] as number) * (components[start + i] as number);
    b += (query[i + 1] as number) * (components[start + i + 1] as number);
    c += (query[i + 2] as number) * (components[start + i + 2] as number);
    d += (query[i + 3] as number) * (components[start + i + 3] as number);
  }
  return (a + b + c + d) * (index.scales[id] as number);
}

/**
 * At least `wanted` ids that are likely to hold the nearest vectors: those with the fewest sign bits that differ from the
 * query's. Sign bits cost a thirtieth of the components, which is what makes a full pass over 100,000 tools affordable.
 * `allowed` leaves out what is not allowed before the count, so that it can't crowd out the rest.
 */
export function nearBySigns(
  index: VectorIndex,
  query: Float32Array,
  wanted: number,
  allowed?: (id: number) => boolean,
): number[] {
  const { count, dimensions, signs } = index;
  const words = wordsOf(dimensions);
  const mine = new Int32Array(words);
  setSigns(mine, 0, query);
  const distances = distancesFor(count);
  const histogram = new Int32Array(dimensions + 2);
  for (let id = 0, at = 0; id < count; id++, at += words) {
    let distance = 0;
    for (let word = 0; word < words; word++) {
      const differing = (signs[at + word] as number) ^ (mine[word] as number);
      distance += (POPCOUNT_16[differing & 0xffff] as number) + (POPCOUNT_16[differing >>> 16] as number);
    }
    if (allowed !== undefined && !allowed(id)) distance = dimensions + 1;
    distances[id] = distance;
    histogram[distance] = (histogram[distance] as number) + 1;
  }
  let limit = -1;
  for (let seen = 0; seen < wanted && limit < dimensions; ) seen += histogram[++limit] as number;
  const near: number[] = [];
  for (let id = 0; id < count; id++) if ((distances[id] as number) <= limit) near.push(id);
  return near;
}

function writeVector(index: VectorIndex, id: number, vector: Float32Array): void {
  const { components, dimensions, scales, signs } = index;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) largest = Math.max(largest, Math.abs(vector[i] as number));
  if (largest === 0) return;
  const start = id * dimensions;
  for (let i = 0; i < dimensions; i++) components[start + i] = Math.round(((vector[i] as number) / largest) * 127);
  scales[id] = largest / 127;
  setSigns(signs, id * wordsOf(dimensions), vector);
}

function setSigns(signs: Int32Array, at: number, vector: Float32Array): void {
  for (let i = 0; i < vector.length; i++) {
    if ((vector[i] as number) < 0) signs[at + (i >>> 5)] = (signs[at + (i >>> 5)] as number) | (1 << (i & 31));
  }
}

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** One scratch buffer for all searches: they don't overlap, since none of them waits. */
function distancesFor(count: number): Uint16Array {
  if (scratch.length < count) scratch = new Uint16Array(count);
  return scratch;
}

let scratch = new Uint16Array(0);

const POPCOUNT_16: Uint8Array = new Uint8Array(1 << 16);
for (let i = 1; i < POPCOUNT_16.length; i++) POPCOUNT_16[i] = (POPCOUNT_16[i >>> 1] as number) + (i & 1);
