import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildVectorIndex, type VectorIndex } from './vector-index.ts';
import { workspaceOf } from './vector-memory.ts';
import { CommonMeaning, createPlainScan, createVectorScan, toQueryVector } from './vector-scan.ts';

const DIMENSIONS = 64;

const unitVector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((components) => components.some((component) => Math.abs(component) > 0.1))
  .map((components) => toUnit(components));

function toUnit(components: readonly number[]): Float32Array {
  const length = Math.hypot(...components);
  return Float32Array.from(components, (component) => component / length);
}

function indexOf(vectors: readonly Float32Array[], dimensions = DIMENSIONS): VectorIndex {
  return buildVectorIndex(vectors.length, dimensions, (id) => vectors[id] ?? new Float32Array(dimensions));
}

function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, component, i) => sum + component * (right[i] ?? 0), 0);
}

function signsApart(left: Float32Array, right: Float32Array): number {
  return left.reduce((count, component, i) => count + Number(component < 0 !== (right[i] ?? 0) < 0), 0);
}

describe('vector index', () => {
  it('gives the cosine to within the width of a byte', () => {
    fc.assert(
      fc.property(fc.array(unitVector, { minLength: 1, maxLength: 8 }), unitVector, (vectors, query) => {
        const ids = Uint32Array.from(vectors.keys());
        const cosines = createVectorScan(indexOf(vectors)).cosines(toQueryVector(query), ids);
        vectors.forEach((vector, id) => {
          expect(Math.abs((cosines[id] ?? Number.NaN) - dot(vector, query))).toBeLessThan(0.03);
        });
      }),
    );
  });

  it('holds the vectors whose signs differ least, and no others that differ more', () => {
    fc.assert(
      fc.property(
        fc.array(unitVector, { minLength: 1, maxLength: 30 }),
        unitVector,
        fc.integer({ min: 1, max: 10 }),
        (vectors, query, wanted) => {
          const near = createVectorScan(indexOf(vectors)).near(toQueryVector(query), wanted);
          const distances = vectors.map((vector) => signsApart(vector, query));
          const limit = [...distances].sort((a, b) => a - b)[Math.min(wanted, vectors.length) - 1] ?? 0;
          expect([...near]).toEqual(distances.flatMap((distance, id) => (distance <= limit ? [id] : [])));
        },
      ),
    );
  });

  it('never returns what is not allowed, and fills its place', () => {
    const vectors = [1, 0.9, 0.8].map((x) =>
      Float32Array.from({ length: DIMENSIONS }, (_, i) => (i % 2 === 0 ? x : -x)),
    );
    const scan = createVectorScan(indexOf(vectors));
    const query = toQueryVector(vectors[0] ?? new Float32Array(DIMENSIONS));
    expect([...scan.near(query, 1, (id) => id === 2)]).toEqual([2]);
    expect([...scan.near(query, 1, () => false)]).toEqual([]);
  });

  it('gives a vector of zeros the cosine 0', () => {
    const scan = createVectorScan(indexOf([new Float32Array(DIMENSIONS)]));
    const query = toQueryVector(new Float32Array(DIMENSIONS).fill(0.125));
    expect([...scan.cosines(query, Uint32Array.of(0))]).toEqual([0]);
  });
});

describe('vector scan in WebAssembly', () => {
  const seeds = fc.integer({ min: 1, max: 0x7fffffff });

  it('gives what JavaScript gives, to the last bit', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom(128, 256, 384, 512),
        fc.constantFrom(512, 513, 1_100, 2_055),
        fc.integer({ min: 1, max: 3_000 }),
        fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined }),
        (seed, dimensions, count, wanted, modulus) => {
          const random = randomNumbers(seed);
          const vectors = Array.from({ length: count + 1 }, () =>
            toUnit(Array.from({ length: dimensions }, () => random() - 0.5)),
          );
          const index = indexOf(vectors.slice(0, count), dimensions);
          expect(workspaceOf(index)).toBeDefined();
          const [fast, plain] = [createVectorScan(index), createPlainScan(structuredClone(index))];
          const query = toQueryVector(vectors[count] ?? new Float32Array(dimensions));
          const allowed = modulus === undefined ? undefined : (id: number): boolean => id % modulus !== 0;
          const near = fast.near(query, wanted, allowed);
          expect(near).toEqual(plain.near(query, wanted, allowed));
          expect(fast.cosines(query, near)).toEqual(plain.cosines(query, near));
        },
      ),
      { numRuns: 15 },
    );
  });

  it('does not overflow with the largest components there can be', () => {
    for (const dimensions of [128, 512, 2_048]) {
      const extreme = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
      const index = indexOf(new Array(512).fill(extreme), dimensions);
      const opposite = toQueryVector(extreme.map((component) => -component));
      const ids = Uint32Array.of(0, 511);
      for (const scan of [createVectorScan(index), createPlainScan(index)]) {
        expect(scan.cosines(toQueryVector(extreme), ids)[1]).toBeCloseTo(1);
        expect(scan.cosines(opposite, ids)[0]).toBeCloseTo(-1);
        expect(scan.near(opposite, 1)).toHaveLength(512);
      }
    }
  });

  it('is optional for an engine', () => {
    const found = globalThis.WebAssembly;
    try {
      Reflect.deleteProperty(globalThis, 'WebAssembly');
      const index = indexOf(new Array(600).fill(new Float32Array(128).fill(0.125)), 128);
      expect(workspaceOf(index)).toBeUndefined();
      expect(createVectorScan(index).near(toQueryVector(new Float32Array(128).fill(0.1)), 5)).toHaveLength(600);
    } finally {
      Object.defineProperty(globalThis, 'WebAssembly', { value: found, configurable: true, writable: true });
    }
  });

  it('copies of an index, as another thread gets them, answer the same', () => {
    const random = randomNumbers(7);
    const vectors = Array.from({ length: 600 }, () => toUnit(Array.from({ length: 128 }, () => random() - 0.5)));
    const index = indexOf(vectors, 128);
    const query = toQueryVector(vectors[9] ?? new Float32Array(128));
    const near = createVectorScan(index).near(query, 5);
    expect(near).toContain(9);
    expect(createVectorScan(structuredClone(index)).near(query, 5)).toEqual(near);
  });
});

/** xorshift32, from 0 to 1: thousands of vectors would take fast-check too long to draw. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const FEW_DIMENSIONS = 32;
const SHARED = axis(0);

function axis(at: number): Float32Array {
  const vector = new Float32Array(FEW_DIMENSIONS);
  vector[at] = 1;
  return vector;
}

/** A unit vector of which this much is what all tools share, and the rest its own. */
function mixed(own: number, share: number): Float32Array {
  const vector = axis(own);
  vector[own] = Math.sqrt(1 - share * share);
  vector[0] = share;
  return vector;
}

function beyond(tools: readonly Float32Array[], request: Float32Array): readonly number[] {
  const index = buildVectorIndex(tools.length, FEW_DIMENSIONS, (id) => tools[id] ?? SHARED);
  const cosines = Float64Array.from(tools, (tool) => tool.reduce((sum, c, i) => sum + c * (request[i] ?? 0), 0));
  return [...new CommonMeaning(index).beyond(toQueryVector(request), cosines, new Float64Array(tools.length))];
}

describe('what is left of a cosine without what all tools share', () => {
  const twenty = (share: number) => Array.from({ length: 20 }, (_, at) => mixed(1 + at, share));

  it('is about the cosine if nothing is shared', () => {
    const [first = 0, second = 0] = beyond(twenty(0), axis(1));
    expect(first).toBeGreaterThan(0.95);
    expect(first).toBeLessThan(1.05);
    expect(second).toBe(0);
  });

  it('is far more than the cosine if most is shared and the request asks for the rest', () => {
    const cosine = Math.sqrt(1 - 0.9 ** 2);
    const [first = 0] = beyond(twenty(0.9), axis(1));
    expect(first).toBeGreaterThan(1.3 * cosine);
  });

  it('is less if the request has only what is shared', () => {
    const found = beyond(twenty(0.9), SHARED);
    expect(Math.max(...found)).toBeLessThan(0.85);
  });

  it('keeps the order, and is never negative nor without bound', () => {
    const vector = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: FEW_DIMENSIONS, maxLength: FEW_DIMENSIONS })
      .filter((components) => components.some((component) => Math.abs(component) > 0.1))
      .map((components) => Float32Array.from(components, (component) => component / Math.hypot(...components)));
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 12 }), vector, (tools, request) => {
        const found = beyond(tools, request);
        const dots = tools.map((tool) => tool.reduce((sum, c, i) => sum + c * (request[i] ?? 0), 0));
        found.forEach((value, at) => {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThan(7);
          found.forEach((other, to) => {
            if ((dots[at] ?? 0) > (dots[to] ?? 0)) expect(value).toBeGreaterThanOrEqual(other);
          });
        });
      }),
    );
  });

  it('mostly keeps the cosine of a single tool', () => {
    expect(beyond([axis(3)], axis(3))[0]).toBeCloseTo(1, 1);
  });
});
