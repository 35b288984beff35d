import { expect, it } from 'vitest';
import { deepestReason } from './upstream-error.ts';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1');
const silent = (code?: string): Error => Object.assign(new Error(''), code === undefined ? {} : { code });

it.each([
  ['an error without a cause', new Error('no'), 'no'],
  [
    'the cause of a cause',
    new Error('probe failed', { cause: new TypeError('fetch failed', { cause: refused }) }),
    refused.message,
  ],
  ['a cause that is no error', new Error('no', { cause: 'because' }), 'no'],
  [
    'the first of several',
    new TypeError('fetch failed', { cause: new AggregateError([refused, silent()]) }),
    refused.message,
  ],
  [
    'several of which none is an error',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['a code where there are no words', new Error('fetch failed', { cause: silent('ENOTFOUND') }), 'ENOTFOUND'],
  ['what is above a cause without words', new Error('no answer', { cause: silent() }), 'no answer'],
  ['a name where there is nothing else', silent(), 'Error'],
  ['what is no error', 'gone', 'gone'],
])('tells %s', (_, error, reason) => {
  expect(deepestReason(error)).toBe(reason);
});

it('stops at circular causes', () => {
  const error = new Error('round');
  error.cause = error;
  expect(deepestReason(error)).toBe('round');
});
