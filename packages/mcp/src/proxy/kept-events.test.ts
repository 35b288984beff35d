import { describe, expect, it } from 'vitest';
import { createKeptEvents, type SessionEvents } from './kept-events.ts';

const message = (id: number, text = '') => ({ jsonrpc: '2.0' as const, id, result: { text } });

async function replayed(events: SessionEvents, lastId: string): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  await events.replayEventsAfter(lastId, { send: async (_, one) => void sent.push(one) });
  return sent;
}

describe('events of streams', () => {
  it('are sent again from the last one that arrived, of the same stream alone', async () => {
    const events = createKeptEvents().forSession();
    const first = await events.storeEvent('a', {} as never);
    await events.storeEvent('a', message(1));
    await events.storeEvent('b', message(2));
    await events.storeEvent('a', message(3));
    expect(await events.getStreamIdForEventId?.(first)).toBe('a');
    expect(await replayed(events, first)).toEqual([message(1), message(3)]);
  });

  it('are their session’s own', async () => {
    const kept = createKeptEvents();
    const [one, other] = [kept.forSession(), kept.forSession()];
    const id = await one.storeEvent('a', message(1));
    await one.storeEvent('a', message(2));
    expect(await other.getStreamIdForEventId?.(id)).toBeUndefined();
    expect(await replayed(other, id)).toEqual([]);
    one.close();
    expect(await one.getStreamIdForEventId?.(id)).toBeUndefined();
  });

  it('are evicted by later ones of any session', async () => {
    const kept = createKeptEvents(100);
    const [one, other] = [kept.forSession(), kept.forSession()];
    const id = await one.storeEvent('a', message(1));
    await other.storeEvent('a', message(2, 'x'.repeat(60)));
    expect(await one.getStreamIdForEventId?.(id)).toBeUndefined();
    const long = await one.storeEvent('a', message(3, 'x'.repeat(500)));
    expect(await one.getStreamIdForEventId?.(long)).toBeUndefined();
  });
});
