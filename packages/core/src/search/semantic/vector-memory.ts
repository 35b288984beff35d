import { createVectorKernel, type VectorKernel } from './vector-kernel.ts';

/** The arrays of an index, all zeros. */
export interface VectorArrays {
  readonly components: Int8Array;
  readonly scales: Float32Array;
  readonly signs: Int32Array;
}

/** Room next to the vectors for what a search needs. Addresses are bytes in the memory. */
export interface VectorWorkspace {
  readonly kernel: VectorKernel;
  readonly buffer: ArrayBufferLike;
  readonly addresses: VectorLayout;
}

/** Where everything lies in the memory of an index. */
export interface VectorLayout {
  readonly signs: number;
  readonly components: number;
  readonly scales: number;
  /** The sign bits of a request's vector. */
  readonly querySigns: number;
  /** Its components, 16 bits each: the upper halves of all, then the lower ones. */
  readonly queryComponents: number;
  /** 32 bits for each distance from 0 to `dimensions`. */
  readonly histogram: number;
  /** 16 bits a vector, up to a multiple of {@link BLOCK}. */
  readonly distances: number;
  /** {@link CHUNK} integers of 32 bits. */
  readonly ids: number;
  /** Two integers of 32 bits for each of these. */
  readonly products: number;
  readonly end: number;
}

/** How many ids the workspace holds at a time. */
export const CHUNK = 1_024;
/** Distances are looked at in blocks of this many. */
export const BLOCK = 8;

/**
 * The arrays of an index of this size: in the memory of a WebAssembly instance where that pays, so that a search reads them
 * where they are, and in an ordinary buffer if it does not, or is unavailable.
 */
export function allocateVectors(count: number, dimensions: number): VectorArrays {
  const layout = layOut(count, dimensions);
  const workspace = count >= LEAST_VECTORS && hasKernel(dimensions) ? openMemory(layout, dimensions) : undefined;
  const buffer = workspace?.buffer ?? new ArrayBuffer(layout.querySigns);
  if (workspace !== undefined) workspaces.set(buffer, workspace);
  return {
    components: new Int8Array(buffer, layout.components, count * dimensions),
    scales: new Float32Array(buffer, layout.scales, count),
    signs: new Int32Array(buffer, layout.signs, count * Math.ceil(dimensions / 32)),
  };
}

/** The workspace of an index whose arrays lie in a WebAssembly memory; undefined for any other, as for a copy of one. */
export function workspaceOf({ components }: VectorArrays): VectorWorkspace | undefined {
  return workspaces.get(components.buffer);
}

const workspaces: WeakMap<ArrayBufferLike, VectorWorkspace> = new WeakMap();

/** Smaller catalogs are searched fast enough in JavaScript; a separate memory would not pay off. */
const LEAST_VECTORS = 512;
/** What a kernel can be made for. */
function hasKernel(dimensions: number): boolean {
  return dimensions % 128 === 0 && dimensions <= 512;
}

const PAGE_BYTES = 65_536;

function openMemory(layout: VectorLayout, dimensions: number): VectorWorkspace | undefined {
  const pages = Math.ceil(layout.end / PAGE_BYTES);
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const kernel = createVectorKernel(memory, dimensions);
    return kernel === undefined ? undefined : { kernel, buffer: memory.buffer, addresses: layout };
  } catch {
    // A process can have some thousand memories, each of which reserves addresses for the largest one.
    return undefined;
  }
}

function layOut(count: number, dimensions: number): VectorLayout {
  let end = 0;
  const take = (bytes: number): number => {
    const start = end;
    end = Math.ceil((start + bytes) / 16) * 16;
    return start;
  };
  const wordBytes = 4 * Math.ceil(dimensions / 32);
  const layout = {
    signs: take(count * wordBytes),
    components: take(count * dimensions),
    scales: take(count * 4),
    querySigns: take(wordBytes),
    queryComponents: take(4 * dimensions),
    histogram: take(4 * (dimensions + 1)),
    distances: take(2 * Math.ceil(count / BLOCK) * BLOCK),
    ids: take(4 * CHUNK),
    products: take(8 * CHUNK),
  };
  return { ...layout, end };
}
