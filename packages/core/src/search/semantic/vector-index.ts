import { createTool, searchText } from '../../catalog/index.ts';
import { memoized } from '../../memoized.ts';
import { runToEnd, stepThrough } from '../../slices.ts';
import { fingerprint, readIndexFile, writeIndexFile } from '../kept/index-file.ts';
import { chooseBase, type KeptPart, type Marked } from '../kept/keep-index.ts';
import type { StaticEmbedder } from './embedder.ts';
import { allocateVectors, type VectorArrays } from './vector-memory.ts';
import { setSigns, signWords } from './vector-scan.ts';

/**
 * Unit vectors of a catalog, as bytes, with their sign bits. Flat typed arrays over one buffer: another thread can be given a
 * copy of it.
 */
export interface VectorIndex {
  readonly count: number;
  readonly dimensions: number;
  /** `count * dimensions` components, each vector scaled so that its largest component is ±127. */
  readonly components: Int8Array;
  /** The factor that makes a vector's components a unit vector again. */
  readonly scales: Float32Array;
  /** `count * ⌈dimensions / 32⌉` words; bit i is set where component i is negative. */
  readonly signs: Int32Array;
  /** The sum of all the vectors. */
  readonly sum: Float64Array;
}

type VectorIndexSize = Pick<VectorIndex, 'count' | 'dimensions'>;

/** The largest component of an indexed vector. */
const COMPONENT_PEAK = 127;

/** The unit vector of each id; may be the same array every time. */
type VectorOf = (id: number) => Float32Array;

/** An index of `count` vectors. */
export function buildVectorIndex(count: number, dimensions: number, vectorOf: VectorOf): VectorIndex {
  return runToEnd(buildVectorIndexInSteps({ count, dimensions }, vectorOf));
}

/**
 * What {@link buildVectorIndex} gives, with a yield between two vectors: a large catalog takes seconds, and others wait for the thread.
 * The vectors of texts that another index has are copied; only the others are computed.
 */
export function* buildVectorIndexInSteps(
  size: VectorIndexSize,
  vectorOf: VectorOf,
  known?: KnownVectors,
): Generator<void, VectorIndex> {
  const index = allocate(size);
  const knownAt = (id: number): number => known?.find(id) ?? -1;
  yield* stepThrough(size.count, (id) => {
    const from = knownAt(id);
    if (known === undefined || from < 0) {
      writeVector(index, id, vectorOf(id));
      return id + 1;
    }
    const most = Math.min(id + VECTORS_PER_STEP, size.count);
    let end = id + 1;
    while (end < most && knownAt(end) === from + end - id) end += 1;
    copyVectors(index, id, { base: known.base, from, count: end - id });
    return end;
  });
  yield* addUp(index);
  return index;
}

/** The vectors of another index, and where those of this one's texts are in it; -1 for what it does not have. */
interface KnownVectors {
  readonly base: VectorIndex;
  find(id: number): number;
}

/** The same, with what its texts are known by. */
export function* buildMarkedVectorsInSteps(
  size: VectorIndexSize,
  { marks, others, vectorOf }: MarkedVectorsOptions,
): Generator<void, MarkedVectors> {
  const chosen = chooseBase(marks, others);
  yield;
  const find = (id: number): number => chosen?.find(marks[2 * id] as number, marks[2 * id + 1] as number) ?? -1;
  const known = chosen && { base: chosen.base, find };
  return { ...(yield* buildVectorIndexInSteps(size, vectorOf, known)), marks };
}

interface MarkedVectorsOptions extends Marked {
  readonly others: readonly MarkedVectors[];
  readonly vectorOf: VectorOf;
}

/** An index of vectors that were written elsewhere. */
function* restoreVectorsInSteps(size: VectorIndexSize, given: VectorArrays): Generator<void, VectorIndex> {
  const index = allocate(size);
  index.components.set(given.components);
  index.scales.set(given.scales);
  index.signs.set(given.signs);
  yield;
  yield* addUp(index);
  return index;
}

function allocate(size: VectorIndexSize): VectorIndex {
  const { count, dimensions } = size;
  return { count, dimensions, ...allocateVectors(count, dimensions), sum: new Float64Array(dimensions) };
}

/** Computed from the stored bytes of each vector, so that loaded and newly made vectors have the same sum. */
function* addUp(index: VectorIndex): Generator<void, void> {
  yield* stepThrough(index.count, (first) => {
    const end = Math.min(first + VECTORS_PER_STEP, index.count);
    addSome(index, first, end);
    return end;
  });
}

/** Four vectors in one go, each component in the order of the vectors: the same sum to the bit, with a quarter of the stores. */
function addSome({ dimensions, components, scales, sum }: VectorIndex, first: number, end: number): void {
  let id = first;
  for (; id + 4 <= end; id += 4) {
    const a = scales[id] as number;
    const b = scales[id + 1] as number;
    const c = scales[id + 2] as number;
    const d = scales[id + 3] as number;
    let at = id * dimensions;
    for (let i = 0; i < dimensions; i++, at++) {
      const one = (sum[i] as number) + (components[at] as number) * a;
      const two = one + (components[at + dimensions] as number) * b;
      const three = two + (components[at + 2 * dimensions] as number) * c;
      sum[i] = three + (components[at + 3 * dimensions] as number) * d;
    }
  }
  for (; id < end; id += 1) {
    const scale = scales[id] as number;
    const start = id * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + (components[start + i] as number) * scale;
  }
}

const VECTORS_PER_STEP = 512;

/** Bytes of its arrays. In a WebAssembly memory, the scan counts the workspace next to them. */
export function vectorBytes({ components, scales, signs, sum, marks }: VectorIndex & Partial<MarkedVectors>): number {
  return components.byteLength + scales.byteLength + signs.byteLength + sum.byteLength + (marks?.byteLength ?? 0);
}

/** Puts a unit vector into an index, once. */
function writeVector(index: VectorIndex, id: number, vector: Float32Array): void {
  const { components, dimensions, scales, signs } = index;
  let largest = 0;
  for (let i = 0; i < dimensions; i++) {
    const size = Math.abs(vector[i] as number);
    if (size > largest) largest = size;
  }
  if (largest === 0) return;
  const start = id * dimensions;
  for (let i = 0; i < dimensions; i++) {
    components[start + i] = Math.round(((vector[i] as number) / largest) * COMPONENT_PEAK);
  }
  scales[id] = largest / COMPONENT_PEAK;
  setSigns(signs, id * signWords(dimensions), vector);
}

/** An index whose vectors are known by what their tools can be found by. */
interface MarkedVectors extends VectorIndex, Marked {}

/** Copies vectors that follow each other, with all that belongs to them. Most of a changed catalog are a few long runs. */
function copyVectors(
  to: VectorIndex,
  at: number,
  { base, from, count }: { readonly base: VectorIndex; readonly from: number; readonly count: number },
): void {
  const { dimensions } = to;
  const words = signWords(dimensions);
  to.components.set(base.components.subarray(from * dimensions, (from + count) * dimensions), at * dimensions);
  to.signs.set(base.signs.subarray(from * words, (from + count) * words), at * words);
  to.scales.set(base.scales.subarray(from, from + count), at);
}

/** The vectors of so many tools, by this model. */
export function keptVectors(count: number, embedder: StaticEmbedder): KeptPart<MarkedVectors> {
  const { dimensions } = embedder;
  return {
    version: () => `vectors.${VECTORS_VERSION}.${embedder.modelId}.${modelMark(embedder)}`,
    write: (key, { components, scales, signs, marks }) => writeIndexFile(key, [components, scales, signs, marks]),
    *read(bytes, key) {
      const sections = yield* readIndexFile(bytes, key);
      const [components, scales, signs, marks] = sections ?? [];
      if (components === undefined || scales === undefined || signs === undefined) return undefined;
      if (marks === undefined || sections?.length !== 4) return undefined;
      const fits =
        components.length === count * dimensions &&
        scales.length === count * 4 &&
        signs.length === count * signWords(dimensions) * 4 &&
        marks.length === count * 8;
      if (!fits) return undefined;
      const lengths = new Float32Array(scales.buffer, scales.byteOffset, count);
      if (!(yield* areScales(lengths))) return undefined;
      const restored = yield* restoreVectorsInSteps(
        { count, dimensions },
        {
          components: new Int8Array(components.buffer, components.byteOffset, components.length),
          scales: lengths,
          signs: new Int32Array(signs.buffer, signs.byteOffset, count * signWords(dimensions)),
        },
      );
      // A copy: a view would hold the whole file.
      return { ...restored, marks: new Uint32Array(marks.buffer, marks.byteOffset, 2 * count).slice() };
    },
  };
}

/** Raised when the format of the vectors changes. */
const VECTORS_VERSION = 2;

/** The largest component of a unit vector is at most 1, written as 127. */
function* areScales(scales: Float32Array): Generator<void, boolean> {
  let isSound = true;
  yield* stepThrough(scales.length, (first) => {
    const end = Math.min(first + SCALES_PER_STEP, scales.length);
    for (let at = first; at < end; at += 1) isSound &&= (scales[at] as number) >= 0 && (scales[at] as number) <= 1;
    return end;
  });
  return isSound;
}

const SCALES_PER_STEP = 1 << 16;

/** The model's vector of one fixed tool: a different model under the same name has another fingerprint. */
const modelMark = memoized((embedder: StaticEmbedder) => fingerprint([embedder.tool(searchText(PROBE))]));

const PROBE = createTool({
  name: 'createInvoice',
  server: 'billing-api',
  description: 'Creates an invoice for a customer, and sends it by e-mail',
  schema: { type: 'object', properties: { dueDate: { type: 'string', description: 'When it has to be paid' } } },
});
