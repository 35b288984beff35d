import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsDepth } from './exceeds-depth.ts';

function naiveDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(naiveDepth));
}

describe('exceedsDepth', () => {
  it('agrees with measuring the whole value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (value, limit) => {
        expect(exceedsDepth(value, limit)).toBe(naiveDepth(value) > limit);
      }),
    );
  });

  it('ends on a value that contains itself', () => {
    const value: { self?: unknown; other?: unknown } = {};
    value.self = value;
    value.other = [value];
    expect(exceedsDepth(value, 256)).toBe(true);
  });

  it('does not look into objects of a class', () => {
    const instance = Object.assign(new (class Schema {})(), { inner: { inner: {} } });
    expect(exceedsDepth({ instance }, 2)).toBe(false);
  });

  it('counts a member named __proto__', () => {
    expect(exceedsDepth(JSON.parse('{"__proto__": [[]]}'), 2)).toBe(true);
  });
});
