import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommonMeaning } from './common-meaning.ts';
import { toQueryVector } from './query-vector.ts';
import { buildVectorIndex } from './vector-index.ts';

const DIMENSIONS = 32;
const SHARED = axis(0);

function axis(at: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
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
  const index = buildVectorIndex(tools.length, DIMENSIONS, (id) => tools[id] ?? SHARED);
  const cosines = Float64Array.from(tools, (tool) => tool.reduce((sum, c, i) => sum + c * (request[i] ?? 0), 0));
  return [...new CommonMeaning(index).beyond(toQueryVector(request), cosines, new Float64Array(tools.length))];
}

describe('what is left of a cosine without what all tools share', () => {
  const twenty = (share: number) => Array.from({ length: 20 }, (_, at) => mixed(1 + at, share));

  it('is about the cosine where nothing is shared', () => {
    const [first = 0, second = 0] = beyond(twenty(0), axis(1));
    expect(first).toBeGreaterThan(0.95);
    expect(first).toBeLessThan(1.05);
    expect(second).toBe(0);
  });

  it('is far more than it where most is shared and the request asks for the rest', () => {
    const cosine = Math.sqrt(1 - 0.9 ** 2);
    const [first = 0] = beyond(twenty(0.9), axis(1));
    expect(first).toBeGreaterThan(1.3 * cosine);
  });

  it('is less where the request has only what is shared', () => {
    const found = beyond(twenty(0.9), SHARED);
    expect(Math.max(...found)).toBeLessThan(0.85);
  });

  it('keeps the order, and is never negative nor without bound', () => {
    const vector = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
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

  it('stands by the cosine of a single tool for the most part', () => {
    expect(beyond([axis(3)], axis(3))[0]).toBeCloseTo(1, 1);
  });
});
