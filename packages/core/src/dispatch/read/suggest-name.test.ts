import { describe, expect, it } from 'vitest';
import { sampleSnapshot } from '../../disclosure/sample-tools.fixture.ts';
import { nameDistance, suggestName } from './resolve-name.ts';

describe('suggestName', () => {
  it.each([
    ['creat_issue', ['github__create_issue']],
    ['issue', ['github__close_issue', 'github__create_issue']],
    ['create_isseu', ['github__create_issue']],
    ['zzzzzzzz', []],
    ['', []],
  ])('for %j is %j', (name, expected) => {
    expect(suggestName({ snapshot: sampleSnapshot(), name })).toEqual(expected);
  });
});

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
