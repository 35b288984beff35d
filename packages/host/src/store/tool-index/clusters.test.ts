import { describe, expect, it } from 'vitest';
import { clusterCountFor, findMiddles, nearestClusters, needsClusters, openClusters } from './clusters.ts';

const WORDS = 2;
const DIMENSIONS = WORDS * 32;

/** Vectors around a few directions, each with a few components turned. */
function makeVectors(groups: number, each: number): { vectors: Float32Array[]; signs: Int32Array } {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const middles = Array.from({ length: groups }, () =>
    Float32Array.from({ length: DIMENSIONS }, () => (random() < 0.5 ? -1 : 1)),
  );
  const vectors = Array.from({ length: groups * each }, (_, at) => {
    return (middles[at % groups] as Float32Array).map((component) => (random() < 0.08 ? -component : component));
  });
  const signs = new Int32Array(vectors.length * WORDS);
  for (const [at, vector] of vectors.entries()) {
    vector.forEach((component, i) => {
      if (component < 0) signs[at * WORDS + (i >>> 5)] = (signs[at * WORDS + (i >>> 5)] ?? 0) | (1 << (i & 31));
    });
  }
  return { vectors, signs };
}

function run<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

describe('clusters', () => {
  const { vectors, signs } = makeVectors(8, 40);
  const middles = run(findMiddles(signs, { words: WORDS, count: 8 }));
  const clusters = openClusters(middles, WORDS);

  it('put similar vectors together, the same each time', () => {
    expect(run(findMiddles(signs, { words: WORDS, count: 8 }))).toEqual(middles);
    const chosen = vectors.map((_, at) => clusters.nearest(signs, at * WORDS));
    const together = vectors.filter((_, at) => chosen[at] === chosen[at % 8]).length;
    expect(together / vectors.length).toBeGreaterThan(0.9);
  });

  it('nearest to a vector include its own', () => {
    const missed = vectors.filter((vector, at) => {
      return !nearestClusters(middles, vector, 2).includes(clusters.nearest(signs, at * WORDS));
    });
    expect(missed).toHaveLength(0);
  });

  it('are made for large catalogs, and made again when these have grown much', () => {
    expect([1_000, 39_999, 40_000, 1_000_000].map(clusterCountFor)).toEqual([0, 0, 128, 512]);
    expect([
      needsClusters(39_999, 0),
      needsClusters(40_000, 0),
      needsClusters(100_000, 40_000),
      needsClusters(160_000, 40_000),
    ]).toEqual([...[false, true, false, true]]);
  });
});
