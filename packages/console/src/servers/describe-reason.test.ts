import { describe, expect, it } from 'vitest';
import { describeReason } from './describe-reason.ts';

describe('describeReason', () => {
  it.each([
    [
      'connect ECONNREFUSED 10.0.4.12:8123',
      24,
      'Connection refused at 10.0.4.12:8123. Tools stay searchable; calls fail.',
    ],
    ['spawn /no/such/program ENOENT', 0, 'No such program.'],
    ['it ended with code 1', 0, 'It ended with code 1.'],
  ])('says what %j means', (reason, tools, text) => {
    expect(describeReason({ state: 'down', reason, tools })).toBe(text);
  });

  it('says when an unreachable server is tried again', () => {
    const reason = 'connect ECONNREFUSED 10.0.4.12:8123';
    expect(describeReason({ state: 'down', reason, tools: 3 }, 39_100)).toBe(
      'Connection refused at 10.0.4.12:8123. Tools stay searchable; calls fail. Retry in 40 s.',
    );
  });
});
