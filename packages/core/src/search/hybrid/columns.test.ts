import { expect, it } from 'vitest';
import { Columns } from './rate-tools.ts';

it('columns are zeros and don’t share a place, however many are asked for', () => {
  const columns = new Columns(2, 3);
  const given = [columns.next(), columns.next(), columns.next()];
  for (const [at, column] of given.entries()) column.fill(at + 1);
  expect(given.map((column) => [...column])).toEqual([
    [1, 1, 1],
    [2, 2, 2],
    [3, 3, 3],
  ]);
  expect([...columns.next()]).toEqual([0, 0, 0]);
});
