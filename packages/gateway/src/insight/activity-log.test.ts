import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../catalogs/index.ts';
import type { RequestRecord } from '../events/index.ts';
import { createActivityLog } from './activity-log.ts';

function record(index: number, queries: readonly string[] = []): RequestRecord {
  return {
    ...{ id: `req_${index}`, atMs: index, route: 'messages', status: 200, durationMs: 1, owner: 'me', rounds: 1 },
    ...{ loaded: [], called: [], refused: [], steps: [], inputTokens: 0, outputTokens: 0 },
    searches: [
      {
        ...{ outcome: 'match', queryCount: queries.length, queries, answerTokens: 0, tookMs: 1 },
        ...{ found: [], tools: [], scores: [] },
      },
    ],
  };
}

describe('the log of requests', () => {
  it('keeps the latest two thousand, and lists the latest first', () => {
    const memory = new MemoryBudget(64 * 1024 * 1024);
    const log = createActivityLog(memory);
    for (let index = 0; index < 5_000; index += 1) log.add(record(index));
    expect(memory.bytes).toBeLessThan(2_100 * 1024);
    const listed = log.list({ owner: undefined, limit: 10_000 });
    expect(listed.length).toBeGreaterThanOrEqual(2_000);
    expect(listed.length).toBeLessThanOrEqual(2_100);
    expect(listed.map(({ id }) => id)).toEqual(listed.map((_, index) => `req_${4_999 - index}`));
    expect(log.get('req_4999', 'me')?.id).toBe('req_4999');
    expect(log.get('req_4999', 'other')).toBeUndefined();
    expect(log.get('req_1', 'me')).toBeUndefined();
  });

  it('is counted in the memory of all caches, and gives the oldest records up when that is full', () => {
    const memory = new MemoryBudget(1024 * 1024);
    const log = createActivityLog(memory);
    for (let index = 0; index < 1_000; index += 1) log.add(record(index, ['q'.repeat(4_000)]));
    expect(memory.bytes).toBeGreaterThan(512 * 1024);
    expect(memory.bytes).toBeLessThanOrEqual(1024 * 1024);
    const listed = log.list({ owner: 'me', limit: 1_000 });
    expect(listed.length).toBeLessThan(260);
    expect(listed.length).toBeGreaterThan(100);
    expect(listed[0]?.id).toBe('req_999');
  });

  it('is followed while anyone is called back', () => {
    const log = createActivityLog(new MemoryBudget(1024 * 1024));
    const told: string[] = [];
    const follow = (owner: string) => log.follow({ owner, onRecord: ({ id }) => told.push(`${owner} ${id}`) });
    expect(log.isFollowed).toBe(false);
    const [stopMine, stopOther] = [follow('me'), follow('other')];
    log.add(record(1));
    stopMine();
    log.add(record(2));
    expect([log.isFollowed, told]).toEqual([true, ['me req_1']]);
    stopOther();
    expect(log.isFollowed).toBe(false);
  });
});
