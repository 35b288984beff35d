import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildVectorIndex, cosine, nearBySigns } from './vector-index.ts';

const DIMENSIONS = 64;

const unitVector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((components) => components.some((component) => Math.abs(component) > 0.1))
  .map((components) => {
    const length = Math.hypot(...components);
    return Float32Array.from(components, (component) => component / length);
  });

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
        const index = buildVectorIndex(vectors.length, DIMENSIONS, (id) => vectors[id] ?? new Float32Array(DIMENSIONS));
        vectors.forEach((vector, id) => {
          expect(Math.abs(cosine(index, query, id) - dot(vector, query))).toBeLessThan(0.03);
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
          const index = buildVectorIndex(
            vectors.length,
            DIMENSIONS,
            (id) => vectors[id] ?? new Float32Array(DIMENSIONS),
          );
          const near = nearBySigns(index, query, wanted);
          const distances = vectors.map((vector) => signsApart(vector, query));
          const limit = [...distances].sort((a, b) => a - b)[Math.min(wanted, vectors.length) - 1] ?? 0;
          expect(near).toEqual(distances.flatMap((distance, id) => (distance <= limit ? [id] : [])));
        },
      ),
    );
  });

  it('never gives what is not allowed, and fills its place', () => {
    const vectors = [1, 0.9, 0.8].map((x) =>
      Float32Array.from({ length: DIMENSIONS }, (_, i) => (i % 2 === 0 ? x : -x)),
    );
    const index = buildVectorIndex(3, DIMENSIONS, (id) => vectors[id] ?? new Float32Array(DIMENSIONS));
    expect(nearBySigns(index, vectors[0] ?? new Float32Array(DIMENSIONS), 1, (id) => id === 2)).toEqual([2]);
    expect(nearBySigns(index, vectors[0] ?? new Float32Array(DIMENSIONS), 1, () => false)).toEqual([]);
  });

  it('gives a vector of zeros the cosine 0', () => {
    const index = buildVectorIndex(1, DIMENSIONS, () => new Float32Array(DIMENSIONS));
    expect(cosine(index, new Float32Array(DIMENSIONS).fill(0.125), 0)).toBe(0);
  });
});
