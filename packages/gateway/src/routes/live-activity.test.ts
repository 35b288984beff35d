import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../events/index.ts';
import type { ActivityFollower } from '../insight/index.ts';
import { liveActivity } from './live-activity.ts';

const RECORD = { id: 'req_1' } as RequestRecord;

function opened() {
  const stop = new AbortController();
  let follower: Omit<ActivityFollower, 'owner'> | undefined;
  let ends = 0;
  let ping: () => void = () => undefined;
  let isValid = true;
  const body = liveActivity({
    follow(told) {
      follower = told;
      return () => {
        follower = undefined;
      };
    },
    signal: stop.signal,
    after: (_ms, act) => {
      ping = act;
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
  return { stop, body, tell, revoke, ping: () => ping(), ends: () => ends, isFollowed: () => follower !== undefined };
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
