import { defined } from '@quartermaster/core/internal';
import type { ServerStatus } from '@quartermaster/mcp';
import { expect, it } from 'vitest';
import { toServerStatus } from './server-status.ts';

const about = { name: 's', tools: 0, problems: [], held: [], suspicions: [], noise: { count: 0 }, stderr: '' };

it.each<[ServerStatus['state'], string | undefined, object]>([
  ['ready', undefined, { status: 'connected' }],
  ['ready', 'its tools can’t be listed', { status: 'connected', error: 'its tools can’t be listed' }],
  ['connecting', undefined, { status: 'pending' }],
  ['idle', undefined, { status: 'pending' }],
  ['down', 'it ended before it answered', { status: 'failed', error: 'it ended before it answered' }],
  ['down', 'Server "s" requires the user to sign in', { status: 'needs-auth', error: expect.any(String) }],
])('a server that is %s (%s)', (state, reason, expected) => {
  expect(toServerStatus({ ...about, state, ...defined({ reason }) })).toEqual({
    name: 's',
    ...expected,
  });
});
