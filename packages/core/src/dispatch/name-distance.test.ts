import { describe, expect, it } from 'vitest';
import { nameDistance } from './name-distance.ts';

describe('nameDistance', () => {
  it.each([
    ['title', 'title', 0],
    ['titel', 'title', 1],
    ['querry', 'query', 1],
    ['repo', 'repository', 4],
    ['abc', 'abcdef', Number.POSITIVE_INFINITY],
    ['zzz', 'title', Number.POSITIVE_INFINITY],
    ['', 'a', Number.POSITIVE_INFINITY],
  ])('of %j and %j is %d', (left, right, distance) => {
    expect(nameDistance(left, right)).toBe(distance);
    expect(nameDistance(right, left)).toBe(distance);
  });
});
