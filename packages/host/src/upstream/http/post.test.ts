import { expect, it } from 'vitest';
import { unreachable } from './post.ts';

const refused = new Error('connect ECONNREFUSED ::1:11434');

it.each([
  ['its cause', new TypeError('fetch failed', { cause: refused }), refused.message],
  [
    'the first address of several that were tried',
    new TypeError('fetch failed', {
      cause: new AggregateError([refused, new Error('connect ECONNREFUSED 127.0.0.1:11434')]),
    }),
    refused.message,
  ],
  ['itself', new Error('socket hang up'), 'socket hang up'],
])('says why a host cannot be reached by %s', (_, error, reason) => {
  expect(unreachable(error)).toMatchObject({
    code: 'unreachable',
    message: `The upstream can't be reached: ${reason}`,
  });
});
