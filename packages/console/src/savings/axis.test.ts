import { describe, expect, it } from 'vitest';
import { axisMarks } from './axis.ts';

describe('axisMarks', () => {
  it.each([
    [0, 24, [0, 10, 20]],
    [-4.5, 22, [0, 10, 20]],
    [-30, 10, [-30, -20, -10, 0, 10]],
    [0, 7_000, [0, 2_000, 4_000, 6_000]],
  ])('marks round values from %d to %d, zero among them', (least, most, marks) => {
    expect(axisMarks(least, most)).toEqual(marks);
  });

  it('has one mark where nothing happened', () => {
    expect(axisMarks(0, 0)).toEqual([0]);
  });
});
