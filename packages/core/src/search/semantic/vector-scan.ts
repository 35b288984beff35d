import type { VectorIndex } from './vector-index.ts';
import { BLOCK, CHUNK, type VectorWorkspace, workspaceOf } from './vector-memory.ts';

/** Compares requests with all vectors of an index. */
export interface VectorScan {
  /**
   * At least `wanted` ids, ascending, that are likely to hold the nearest vectors: those with the fewest sign bits that differ from
   * the query's. Sign bits are an eighth of the components, which is what makes a full pass over 100,000 tools affordable. `allowed`
   * is applied before counting, so that forbidden tools can't crowd out the rest.
   */
  near(query: QueryVector, wanted: number, allowed?: (id: number) => boolean): Uint32Array;
  /** The cosine of the query with each of these vectors. @param into as long as `ids`; returned */
  cosines(query: QueryVector, ids: Uint32Array, into?: Float64Array): Float64Array;
  /** Bytes that it keeps in addition to the vectors. */
  readonly byteLength: number;
}

/** In WebAssembly where the index was laid out for it, else in JavaScript; the answers are the same to the last bit. */
export function createVectorScan(index: VectorIndex): VectorScan {
  const workspace = workspaceOf(index);
  return workspace === undefined ? createPlainScan(index) : createWasmScan(index, workspace);
}

export function createPlainScan(index: VectorIndex): VectorScan {
  const { count, dimensions } = index;
  const distances = new Uint16Array(count);
  return {
    byteLength: distances.byteLength,
    near(query, wanted, allowed) {
      const histogram = new Uint32Array(dimensions + 1);
      scanSigns(index, query.signs, distances, histogram);
      if (allowed !== undefined) countAllowed(distances, histogram, allowed);
      return collect(distances, reach(histogram, wanted));
    },
    cosines(query, ids, cosines = new Float64Array(ids.length)) {
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] as number;
        cosines[at] = dot(index, query.components, id) * query.scale * (index.scales[id] as number);
      }
      return cosines;
    },
  };
}

function createWasmScan(index: VectorIndex, { kernel, buffer, addresses }: VectorWorkspace): VectorScan {
  const { count, dimensions } = index;
  const blocks = Math.ceil(count / BLOCK) * BLOCK;
  const querySigns = new Int32Array(buffer, addresses.querySigns, signWords(dimensions));
  const upperHalves = new Int16Array(buffer, addresses.queryComponents, dimensions);
  const lowerHalves = new Int16Array(buffer, addresses.queryComponents + 2 * dimensions, dimensions);
  const histogram = new Uint32Array(buffer, addresses.histogram, dimensions + 1);
  const distances = new Uint16Array(buffer, addresses.distances, blocks);
  const ids = new Uint32Array(buffer, addresses.ids, CHUNK);
  const products = new Int32Array(buffer, addresses.products, 2 * CHUNK);
  // What fills up the last block is never near.
  distances.fill(NEVER, count);

  return {
    byteLength: buffer.byteLength - addresses.querySigns,
    near(query, wanted, allowed) {
      querySigns.set(query.signs);
      histogram.fill(0);
      const { signs, querySigns: mine, distances: out, histogram: counts } = addresses;
      kernel.scan(signs, mine, count, out, counts);
      if (allowed !== undefined) countAllowed(distances.subarray(0, count), histogram, allowed);
      const limit = reach(histogram, wanted);
      const found = new Uint32Array(countUpTo(histogram, limit));
      // All at once where the workspace has room for all that will be found.
      const span = found.length <= CHUNK ? blocks : CHUNK;
      for (let start = 0, filled = 0; filled < found.length; start += span) {
        const end = Math.min(start + span, blocks);
        const after = kernel.collect(addresses.distances, start, end, limit, addresses.ids) >>> 0;
        const some = (after - addresses.ids) / 4;
        found.set(ids.subarray(0, some), filled);
        filled += some;
      }
      return found;
    },
    cosines(query, wanted, cosines = new Float64Array(wanted.length)) {
      for (let i = 0; i < dimensions; i++) {
        const component = query.components[i] as number;
        upperHalves[i] = component >> HALF_BITS;
        lowerHalves[i] = component & (HALF - 1);
      }
      for (let start = 0; start < wanted.length; start += CHUNK) {
        const some = wanted.subarray(start, start + CHUNK);
        ids.set(some);
        const { components, queryComponents: mine, ids: from, products: to } = addresses;
        kernel.dot(components, mine, from, some.length, to);
        for (let at = 0; at < some.length; at++) {
          const scale = index.scales[some[at] as number] as number;
          const product = (products[2 * at] as number) * HALF + (products[2 * at + 1] as number);
          cosines[start + at] = product * query.scale * scale;
        }
      }
      return cosines;
    },
  };
}

/** The distance up to which there are as many as wanted, or all. */
function reach(histogram: Uint32Array, wanted: number): number {
  let limit = 0;
  for (let seen = histogram[0] as number; seen < wanted && limit < histogram.length - 1; ) {
    limit += 1;
    seen += histogram[limit] as number;
  }
  return limit;
}

function countUpTo(histogram: Uint32Array, limit: number): number {
  let count = 0;
  for (let distance = 0; distance <= limit; distance++) count += histogram[distance] as number;
  return count;
}

/** Puts what is not allowed out of reach, and recounts the rest. */
function countAllowed(distances: Uint16Array, histogram: Uint32Array, allowed: (id: number) => boolean): void {
  histogram.fill(0);
  for (let id = 0; id < distances.length; id++) {
    if (!allowed(id)) {
      distances[id] = NEVER;
      continue;
    }
    const distance = distances[id] as number;
    histogram[distance] = (histogram[distance] as number) + 1;
  }
}

function scanSigns(index: VectorIndex, mine: Int32Array, distances: Uint16Array, histogram: Uint32Array): void {
  const { count, signs } = index;
  const words = mine.length;
  for (let id = 0, at = 0; id < count; id++, at += words) {
    let distance = 0;
    for (let word = 0; word < words; word++) {
      const differing = (signs[at + word] as number) ^ (mine[word] as number);
      distance += bitCount(differing);
    }
    distances[id] = distance;
    histogram[distance] = (histogram[distance] as number) + 1;
  }
}

/** The bits that are set in 32: added up in pairs, fours, eights, and all eights by one multiplication. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function collect(distances: Uint16Array, limit: number): Uint32Array {
  const near: number[] = [];
  for (let id = 0; id < distances.length; id++) if ((distances[id] as number) <= limit) near.push(id);
  return Uint32Array.from(near);
}

/** Whole numbers below 2⁵³, so that the sum is exact. */
function dot({ components, dimensions }: VectorIndex, query: Int32Array, id: number): number {
  const start = id * dimensions;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < dimensions; i += 4) {
    a += (query[i] as number) * (components[start + i] as number);
    b += (query[i + 1] as number) * (components[start + i + 1] as number);
    c += (query[i + 2] as number) * (components[start + i + 2] as number);
    d += (query[i + 3] as number) * (components[start + i + 3] as number);
  }
  return a + b + c + d;
}

/** A component of a query is `upper × 2¹⁵ + lower`, and both halves are 16-bit integers; the lower is never negative. */
const HALF_BITS = 15;
const HALF: number = 2 ** HALF_BITS;

/** More than any distance. */
const NEVER = 0xffff;

export interface NearestOptions {
  /** How many tools at most. */
  readonly wanted: number;
  readonly allowed: ((tool: number) => boolean) | undefined;
}

/** Below this cosine, two texts are similar only by chance. */
const LEAST_MEANING = 0.1;

/** How many neighbours by sign bits are compared in full for each one that is wanted. */
const SIGN_SLACK = 3;

/** The tools nearest to a vector, in catalog order; of equals at the end, those that come first in the catalog. */
export function nearestTools(scan: VectorScan, vector: QueryVector, { wanted, allowed }: NearestOptions): number[] {
  if (vector.isEmpty) return [];
  const near = scan.near(vector, wanted * SIGN_SLACK, allowed);
  const cosines = scan.cosines(vector, near);
  const last = greatestBut(cosines, wanted - 1);
  let above = 0;
  for (let at = 0; at < cosines.length; at += 1) above += (cosines[at] as number) > last ? 1 : 0;
  // How many tools equal to the last one still fit.
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

/** The greatest number after leaving out this many greater ones, or the smallest if there are fewer (Hoare's selection). */
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

/**
 * What all tools of a catalog have in common, beyond what tools in general have in common. If every description ends in the same
 * sentence, or every tool belongs to one server and has little more than a name, most of each vector is that shared part, and the
 * cosine with a tool says little about what the tool does.
 */
export class CommonMeaning {
  readonly #sum: Float64Array;
  /** The factor that turns the sum of the vectors into the unusually large part that all of them share. */
  readonly #share: number;
  /** The average length of a vector after that part is removed. */
  readonly #rest: number;

  constructor({ count, sum }: Pick<VectorIndex, 'count' | 'sum'>) {
    const length = Math.sqrt(sum.reduce((total, component) => total + component * component, 0));
    const mean = length / (count + DOUBT);
    const excess = mean > USUAL ? 1 - USUAL / mean : 0;
    const taken = excess * mean;
    this.#sum = sum;
    this.#share = excess / (count + DOUBT);
    this.#rest = Math.sqrt(Math.max(1 - (2 * taken * length) / Math.max(count, 1) + taken * taken, LEAST_REST));
  }

  /** The cosine of a request with what is left of each tool: `(cosine - the request's cosine with the common part) / rest`, 0 or more. */
  beyond({ components, scale }: QueryVector, cosines: Float64Array, into: Float64Array): Float64Array {
    let typical = 0;
    if (this.#share > 0) {
      for (let i = 0; i < components.length; i++) typical += (components[i] as number) * (this.#sum[i] as number);
    }
    typical *= scale * this.#share;
    for (let at = 0; at < cosines.length; at++)
      into[at] = Math.max(0, ((cosines[at] as number) - typical) / this.#rest);
    return into;
  }
}

/** Counts as this many additional random vectors, because a few tools have something in common by chance. */
const DOUBT = 10;
/** The length of the mean vector of a catalog whose tools have nothing in common except that they are tools. */
const USUAL = 0.3;
/** If a catalog says the same about every tool, next to nothing would be left, and it would be magnified. */
const LEAST_REST = 0.1;
