import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../run-to-end.ts';
import { stepThrough } from './step-through.ts';

describe('steps through many things', () => {
  it.each([
    { count: 0, size: 3, firsts: [] },
    { count: 2, size: 3, firsts: [0] },
    { count: 6, size: 3, firsts: [0, 3] },
    { count: 7, size: 3, firsts: [0, 3, 6] },
  ])('$count things, $size a step: each step goes on where the one before ended', ({ count, size, firsts }) => {
    const begun: number[] = [];
    runToEnd(
      stepThrough(count, (first) => {
        begun.push(first);
        return Math.min(first + size, count);
      }),
    );
    expect(begun).toEqual(firsts);
  });

  it('yields between two steps, and neither before the first nor after the last', () => {
    const done: (number | 'yield')[] = [];
    const steps = stepThrough(3, (first) => {
      done.push(first);
      return first + 1;
    });
    while (steps.next().done !== true) done.push('yield');
    expect(done).toEqual([0, 'yield', 1, 'yield', 2]);
  });
});
