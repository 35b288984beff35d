import { assembleModule, type Code, type WasmFunction, wasm } from './assemble-module.ts';

/** The loops over all vectors, in WebAssembly with 128-bit registers. Addresses are bytes in the memory. */
export interface VectorKernel {
  /**
   * For each of `count` vectors, how many of its sign bits differ from those at `query`: as 16-bit integers into
   * `distances`, and counted in the 32-bit integers at `histogram`.
   */
  scan(signs: number, query: number, count: number, distances: number, histogram: number): void;
  /**
   * The numbers from `start` to `end` (multiples of 8) whose distance is at most `limit`, ascending, as 32-bit integers at
   * `ids`. Returns the address after the last.
   */
  collect(distances: number, start: number, end: number, limit: number, ids: number): number;
  /**
   * The products of the vectors named by `count` 32-bit integers at `ids` with two vectors of 16-bit components, one at
   * `query` and the other after it: two 32-bit integers each at `products`. `count` is 1 or more.
   */
  dot(components: number, query: number, ids: number, count: number, products: number): void;
}

/**
 * The kernel over a memory, or undefined where WebAssembly or its vectors are missing or not allowed. It is made for
 * vectors of so many dimensions, a multiple of 128, so that its inner loops are written out; and at most 512, so that no sum
 * overflows.
 */
export function createVectorKernel(memory: WebAssembly.Memory, dimensions: number): VectorKernel | undefined {
  try {
    let module = compiled.get(dimensions);
    if (module === undefined) {
      const functions = [scanFunction(dimensions), collectFunction(), dotFunction(dimensions)];
      module = new WebAssembly.Module(assembleModule(functions));
      compiled.set(dimensions, module);
    }
    return new WebAssembly.Instance(module, { host: { memory } }).exports as unknown as VectorKernel;
  } catch {
    // An older engine, or a page whose policy forbids it: the same loops run in JavaScript, several times slower.
    return undefined;
  }
}

const compiled: Map<number, WebAssembly.Module> = new Map();

const { get, set, tee, loop, againIf, i32, i64, v128, i16x8, i32x4 } = wasm;

/** `local += step`. */
const step = (local: number, by: number): Code => [get(local), i32.const(by), i32.add, set(local)];

/** The four 32-bit integers of a vector, added up. */
const addLanes = (local: number): Code => [
  [get(local), i32x4.lane(0), get(local), i32x4.lane(1), i32.add],
  [get(local), i32x4.lane(2), get(local), i32x4.lane(3), i32.add],
  i32.add,
];

function scanFunction(dimensions: number): WasmFunction {
  const [signs, query, count, distances, histogram] = [0, 1, 2, 3, 4];
  const distance = 5;
  const words = Array.from({ length: dimensions / 64 }, (_, at) => ({ mine: 6 + at, offset: 8 * at }));
  /** How many of 64 bits differ. A processor counts 64 bits in one step, but those of a vector in about ten. */
  const differing = words.map(({ mine, offset }) => [get(signs), i64.load(offset), get(mine), i64.xor, i64.popcnt]);
  return {
    name: 'scan',
    parameters: 5,
    returns: false,
    integers: 1,
    longs: words.length,
    vectors: 0,
    body: [
      words.map(({ mine, offset }) => [get(query), i64.load(offset), set(mine)]),
      loop(
        [get(distances), differing, words.slice(1).map(() => i64.add), i64.toI32, tee(distance), i32.store16],
        [step(signs, dimensions / 8), step(distances, 2)],
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
    longs: 0,
    vectors: 1,
    body: [
      [get(limit), i16x8.splat, set(limits)],
      loop(
        [get(distances), get(start), i32.const(1), i32.shiftLeft, i32.add, v128.load(0)],
        [get(limits), i16x8.lessOrEqualUnsigned, v128.anyTrue],
        wasm.if(...oneByOne),
        [get(start), i32.const(8), i32.add, tee(start), get(end), i32.lessUnsigned, againIf],
      ),
      get(ids),
    ],
  };
}

function dotFunction(dimensions: number): WasmFunction {
  const [components, query, ids, count, products] = [0, 1, 2, 3, 4];
  const [at, end, mine] = [5, 6, 7];
  const [some, firstSum, secondSum] = [8, 9, 10];
  const addProducts = (offset: number, sum: number): Code => {
    return [get(some), get(mine), v128.load(offset), i32x4.dot, get(sum), i32x4.add, set(sum)];
  };
  return {
    name: 'dot',
    parameters: 5,
    returns: false,
    integers: 3,
    longs: 0,
    vectors: 3,
    body: [
      loop(
        [get(components), get(ids), i32.load, i32.const(dimensions), i32.multiply, i32.add, tee(at)],
        [i32.const(dimensions), i32.add, set(end), get(query), set(mine)],
        [v128.zero, set(firstSum), v128.zero, set(secondSum)],
        loop(
          [get(at), v128.load8x8s, set(some), addProducts(0, firstSum), addProducts(2 * dimensions, secondSum)],
          [step(mine, 16), get(at), i32.const(8), i32.add, tee(at), get(end), i32.lessUnsigned, againIf],
        ),
        [get(products), addLanes(firstSum), i32.store, step(products, 4)],
        [get(products), addLanes(secondSum), i32.store, step(products, 4), step(ids, 4)],
        [get(count), i32.const(1), i32.subtract, tee(count), againIf],
      ),
    ],
  };
}
