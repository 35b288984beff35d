import { describe, expect, it } from 'vitest';
import type { RequestRecord, RunningRequest, RunningRequests } from '../events/index.ts';
import type { ActivityFollower } from '../insight/index.ts';
import { liveActivity } from './live-activity.ts';

const RECORD = { id: 'req_1' } as RequestRecord;

function opened() {
  const stop = new AbortController();
  let follower: Omit<ActivityFollower, 'owner'> | undefined;
  let ends = 0;
  let ping: () => void = () => undefined;
  let isValid = true;
  let running: RunningRequests = { nowMs: 0, total: 0, data: [] };
  let look: () => void = () => undefined;
  const body = liveActivity({
    follow(told) {
      follower = told;
      return () => {
        follower = undefined;
      };
    },
    signal: stop.signal,
    running: () => running,
    after: (ms, act) => {
      if (ms < 1_000) look = act;
      else ping = act;
      return () => undefined;
    },
    mayGoOn: async () => isValid,
    onEnd: () => {
      ends += 1;
    },
  });
  const tell = (count: number): void => {
    for (let at = 0; at < count; at += 1) follower?.onRecord(RECORD);
  };
  const revoke = (): void => {
    isValid = false;
  };
  const run = (count: number, nowMs: number): void => {
    const data = Array.from({ length: count }, (_, at) => ({ id: `req_${at}` }) as RunningRequest);
    running = { nowMs, total: count, data };
    look();
  };
  return {
    run,
    stop,
    body,
    tell,
    revoke,
    ping: () => ping(),
    ends: () => ends,
    isFollowed: () => follower !== undefined,
  };
}

describe('the live stream', () => {
  it('ends once, and stays ended where its reader left before the gateway stops', async () => {
    const { stop, body, ends, isFollowed } = opened();
    await body.cancel();
    stop.abort();
    expect([ends(), isFollowed()]).toEqual([1, false]);
  });

  it('tells a reader who was too slow how many it missed', async () => {
    const { stop, body, tell } = opened();
    tell(600);
    const reader = body.getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    for (let at = 0; at < 500; at += 1) await read();
    tell(1);
    stop.abort();
    expect(await read()).toBe('event: missed\ndata: 101\n\n');
    expect(await read()).toBe('event: request\ndata: {"id":"req_1"}\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  it('sends what is running when that has changed, and to a slow reader only the latest', async () => {
    const { stop, body, run, tell } = opened();
    run(1, 10);
    run(1, 20);
    run(0, 30);
    tell(497);
    run(2, 40);
    const reader = body.getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    const all: string[] = [];
    for (let at = 0; at < 500; at += 1) all.push(await read());
    run(2, 50);
    stop.abort();
    all.push(await read());
    expect(all.filter((event) => event.startsWith('event: running'))).toEqual([
      'event: running\ndata: {"nowMs":10,"total":1,"data":[{"id":"req_0"}]}\n\n',
      'event: running\ndata: {"nowMs":30,"total":0,"data":[]}\n\n',
      'event: running\ndata: {"nowMs":50,"total":2,"data":[{"id":"req_0"},{"id":"req_1"}]}\n\n',
    ]);
  });

  it('ends with a ping after which its key is no longer valid', async () => {
    const { body, ping, revoke, ends, isFollowed } = opened();
    ping();
    revoke();
    ping();
    ping();
    expect(await new Response(body).text()).toMatch(/^: live\n\n(: ping\n\n)+$/);
    expect([ends(), isFollowed()]).toEqual([1, false]);
  });
});
