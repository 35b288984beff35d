import { expect, it } from 'vitest';
import { remainingTokens } from './remaining-tokens.ts';

it.each<[string, readonly [unknown, unknown, number?], number | undefined]>([
  ['what earlier rounds left', [500, 120], 380],
  ['at least one where they left nothing', [500, 700], 1],
  ['at least what the host needs', [4000, 3000, 2001], 2001],
  ['never more than was asked for', [10, 5, 2001], 10],
  ['as it was where no round has told what it used', [500, undefined], undefined],
  ['as it was where there is no limit', [undefined, 100], undefined],
])('the limit of a round is %s', (_, [limit, used, least], expected) => {
  expect(remainingTokens(limit, used, least)).toBe(expected);
});
