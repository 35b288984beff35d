import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_FEATURES } from './hybrid-options.ts';
import { orderByIntent, type Rated } from './order-by-intent.ts';

const rated = (tool: number, base: number, clauses: readonly number[]): Rated => ({
  ...{ tool, bonus: 0, base, clauses },
  features: NO_FEATURES,
});

it('a part of the request that nothing above serves finds its place before siblings', () => {
  const tools = [rated(0, 9, [8, 0]), rated(1, 8.9, [8, 0]), rated(2, 7, [0, 8])];
  expect(orderByIntent(tools, 3).map(({ tool }) => tool)).toEqual([0, 2, 1]);
  expect(orderByIntent(tools, 0).map(({ tool }) => tool)).toEqual([0, 1, 2]);
});

it('a part that even the best tool hardly serves is chatter, and moves nothing', () => {
  const tools = (best: number): Rated[] => [rated(0, 9, [8, 0]), rated(1, 8.9, [8, 0]), rated(2, 7, [0, best])];
  expect(orderByIntent(tools(3), 3).map(({ tool }) => tool)).toEqual([0, 1, 2]);
  expect(orderByIntent(tools(5.5), 3).map(({ tool }) => tool)).toEqual([0, 2, 1]);
});

it('scores fall from place to place, and every tool has one', () => {
  const number = fc.double({ min: 0, max: 12, noNaN: true });
  const tools = fc
    .integer({ min: 0, max: 3 })
    .chain((clauses) =>
      fc.array(fc.tuple(number, fc.array(number, { minLength: clauses, maxLength: clauses })), { maxLength: 80 }),
    );
  fc.assert(
    fc.property(tools, fc.double({ min: 0, max: 5, noNaN: true }), (some, weight) => {
      const ordered = orderByIntent(
        some.map(([base, clauses], tool) => rated(tool, base, clauses)),
        weight,
      );
      expect(ordered.map(({ tool }) => tool).sort((left, right) => left - right)).toEqual(some.map((_, at) => at));
      const scores = ordered.map(({ score }) => score);
      expect(scores).toEqual([...scores].sort((left, right) => right - left));
    }),
  );
});
