import { expect, it } from 'vitest';
import { memoized, once } from './memoized.ts';

it('makes a value when it is first needed', () => {
  let made = 0;
  const next = once(() => {
    made += 1;
    return undefined;
  });
  expect([made, next(), next(), made]).toEqual([0, undefined, undefined, 1]);
});

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
