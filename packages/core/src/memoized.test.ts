import { expect, it } from 'vitest';
import { memoized } from './memoized.ts';

it('makes the value of each object once, even if it is undefined', () => {
  const made: object[] = [];
  const [one, other] = [{}, {}];
  const twice = memoized((key: object) => {
    made.push(key);
    return key === one ? undefined : 2;
  });
  expect([twice(one), twice(other), twice(one), twice(other)]).toEqual([undefined, 2, undefined, 2]);
  expect(made).toEqual([one, other]);
});
