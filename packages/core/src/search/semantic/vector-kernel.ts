import { assembleModule, type Code, type WasmFunction, wasm } from './assemble-module.ts';

/** The loops over all vectors, in WebAssembly with 128-bit registers. Addresses are bytes in the memory. */
export interface VectorKernel {
  /**
   * For each of `count` runs of `width` bytes (a multiple of 16), how many bits differ from those at `query`: as 16-bit
   * integers into `distances`, and counted in the 32-bit integers at `histogram`.
   */
  scan(signs: number, query: number, width: number, count: number, distances: number, histogram: number): void;
  /**
   * The numbers from `start` to `end` (multiples of 8) whose distance is at most `limit`, ascending, as 32-bit integers at
   * `ids`. Returns the address after the last.
   */
  collect(distances: number, start: number, end: number, limit: number, ids: number): number;
  /**
   * The products of the vectors named by `count` 32-bit integers at `ids` with two vectors of 16-bit components, one at
   * `query` and the other after it: two 32-bit integers each at `products`. `dimensions` is a multiple of 8, at most 512,
   * so that no sum overflows; `count` is 1 or more.
   */
  dot(components: number, query: number, dimensions: number, ids: number, count: number, products: number): void;
}

/** The kernel over a memory, or undefined where WebAssembly or its vectors are missing or not allowed. */
export function createVectorKernel(memory: WebAssembly.Memory): VectorKernel | undefined {
  try {
    compiled ??= new WebAssembly.Module(assembleModule([scanFunction(), collectFunction(), dotFunction()]));
    return new WebAssembly.Instance(compiled, { host: { memory } }).exports as unknown as VectorKernel;
  } catch {
    // An older engine, or a page whose policy forbids it: the same loops run in JavaScript, several times slower.
    return undefined;
  }
}

let compiled: WebAssembly.Module | undefined;

const { get, set, tee, loop, againIf, i32, i64, v128, i16x8, i32x4 } = wasm;

/** `local += step`. */
const step = (local: number, by: number): Code => [get(local), i32.const(by), i32.add, set(local)];

/** The four 32-bit integers of a vector, added up. */
const addLanes = (local: number): Code => [
  [get(local), i32x4.lane(0), get(local), i32x4.lane(1), i32.add],
  [get(local), i32x4.lane(2), get(local), i32x4.lane(3), i32.add],
  i32.add,
];

function scanFunction(): WasmFunction {
  const [signs, query, width, count, distances, histogram] = [0, 1, 2, 3, 4, 5];
  const [mine, end, distance] = [6, 7, 8];
  /** How many of 64 bits differ. A processor counts 64 bits in one step, but those of a vector in about ten. */
  const differing = (offset: number): Code => {
    return [get(signs), i64.load(offset), get(mine), i64.load(offset), i64.xor, i64.popcnt, i64.toI32];
  };
  return {
    name: 'scan',
    parameters: 6,
    returns: false,
    integers: 3,
    vectors: 0,
    body: [
      loop(
        [i32.const(0), set(distance), get(query), tee(mine), get(width), i32.add, set(end)],
        loop(
          [get(distance), differing(0), i32.add, differing(8), i32.add, set(distance)],
          [step(signs, 16), get(mine), i32.const(16), i32.add, tee(mine), get(end), i32.lessUnsigned, againIf],
        ),
        [get(distances), get(distance), i32.store16, step(distances, 2)],
        [get(histogram), get(distance), i32.const(2), i32.shiftLeft, i32.add, tee(distance)],
        [get(distance), i32.load, i32.const(1), i32.add, i32.store],
        [get(count), i32.const(1), i32.subtract, tee(count), againIf],
      ),
    ],
  };
}

function collectFunction(): WasmFunction {
  const [distances, start, end, limit, ids] = [0, 1, 2, 3, 4];
  const [block, limits] = [5, 6];
  /** Eight at a time; one by one only where one of the eight is near enough. */
  const oneByOne = [
    [get(start), i32.const(8), i32.add, set(block)],
    loop(
      [get(distances), get(start), i32.const(1), i32.shiftLeft, i32.add, i32.load16u],
      [get(limit), i32.lessOrEqualUnsigned],
      wasm.if([get(ids), get(start), i32.store], step(ids, 4)),
      [get(start), i32.const(1), i32.add, tee(start), get(block), i32.lessUnsigned, againIf],
    ),
    [get(start), i32.const(8), i32.subtract, set(start)],
  ];
  return {
    name: 'collect',
    parameters: 5,
    returns: true,
    integers: 1,
    vectors: 1,
    body: [
      [get(limit), i16x8.splat, set(limits)],
      loop(
        [get(distances), get(start), i32.const(1), i32.shiftLeft, i32.add, v128.load],
        [get(limits), i16x8.lessOrEqualUnsigned, v128.anyTrue],
        wasm.if(...oneByOne),
        [get(start), i32.const(8), i32.add, tee(start), get(end), i32.lessUnsigned, againIf],
      ),
      get(ids),
    ],
  };
}

function dotFunction(): WasmFunction {
  const [components, query, dimensions, ids, count, products] = [0, 1, 2, 3, 4, 5];
  const [at, end, first, second] = [6, 7, 8, 9];
  const [some, firstSum, secondSum] = [10, 11, 12];
  const addProducts = (other: number, sum: number): Code => {
    return [get(some), get(other), v128.load, i32x4.dot, get(sum), i32x4.add, set(sum), step(other, 16)];
  };
  return {
    name: 'dot',
    parameters: 6,
    returns: false,
    integers: 4,
    vectors: 3,
    body: [
      loop(
        [get(components), get(ids), i32.load, get(dimensions), i32.multiply, i32.add, tee(at)],
        [get(dimensions), i32.add, set(end), get(query), tee(first)],
        [get(dimensions), i32.const(1), i32.shiftLeft, i32.add, set(second)],
        [v128.zero, set(firstSum), v128.zero, set(secondSum)],
        loop(
          [get(at), v128.load8x8s, set(some), addProducts(first, firstSum), addProducts(second, secondSum)],
          [get(at), i32.const(8), i32.add, tee(at), get(end), i32.lessUnsigned, againIf],
        ),
        [get(products), addLanes(firstSum), i32.store, step(products, 4)],
        [get(products), addLanes(secondSum), i32.store, step(products, 4), step(ids, 4)],
        [get(count), i32.const(1), i32.subtract, tee(count), againIf],
      ),
    ],
  };
}
