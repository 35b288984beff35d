import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot } from '../../catalog/index.ts';
import { sampleSnapshot, sampleTool } from '../../disclosure/sample-tools.fixture.ts';
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

  it('is the three nearest of all, as if each had been compared', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 40 }), word, (names, name) => {
        const snapshot = createSnapshot(names.map((one) => sampleTool({ name: one, server: 's' })));
        const all = snapshot.tools.map((tool) => ({
          shown: snapshot.modelName(tool),
          distance: Math.min(nameDistance(name, `s${tool.name}`), nameDistance(name, tool.name)),
        }));
        const expected = all
          .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
          .sort((left, right) => left.distance - right.distance || (left.shown < right.shown ? -1 : 1))
          .slice(0, 3)
          .map(({ shown }) => shown);
        expect(suggestName({ snapshot, name })).toEqual(expected);
      }),
    );
  });

  it('compares only as many long names as take a bounded time', () => {
    const halves = (number: number): string => number.toString(2).padStart(50, 'a').replaceAll('0', 'x');
    const far = Array.from({ length: 3_000 }, (_, at) => sampleTool({ name: `${halves(at)}${'z'.repeat(10)}` }));
    const near = sampleTool({ name: 'q'.repeat(60) });
    const asked = `${'q'.repeat(59)}r`;
    expect(suggestName({ snapshot: createSnapshot([near, ...far]), name: asked })).toEqual(['q'.repeat(60)]);
    expect(suggestName({ snapshot: createSnapshot([...far, near]), name: asked })).toEqual([]);
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
