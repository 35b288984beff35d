import type { RequestOptions } from '@modelcontextprotocol/client';
import type { JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../../testing/manual-clock.fixture.ts';
import { oddServer } from '../../testing/odd-server.fixture.ts';
import { until } from '../../testing/until.fixture.ts';
import { createHub } from '../create-hub.ts';
import type { Peer } from '../hub.ts';
import { type CallClock, createCallClock } from './call-clock.ts';
import type { Connection } from './connection.ts';

interface Started {
  readonly clock: ManualClock;
  readonly calls: CallClock;
  /** A call that is never answered. Its last error, once it has ended. */
  begin(options: RequestOptions): { readonly ended: Promise<unknown>; readonly given: RequestOptions };
}

function start(): Started {
  const clock = manualClock();
  const calls = createCallClock(clock);
  return {
    clock,
    calls,
    begin(options) {
      let given: RequestOptions = {};
      const request = (_: unknown, limited: RequestOptions = {}): Promise<JsonObject> => {
        given = limited;
        return new Promise((_resolve, reject) => {
          const onAbort = (): void => reject(limited.signal?.reason as Error);
          limited.signal?.addEventListener('abort', onAbort);
          if (limited.signal?.aborted === true) onAbort();
        });
      };
      const connection = calls.watch({ request } as unknown as Connection);
      const ended = connection.request({ method: 'tools/call' }, options).catch((error: unknown) => error);
      return { ended, given };
    },
  };
}

describe('createCallClock', () => {
  it('ends a call after its time', async () => {
    const { clock, begin } = start();
    const { ended } = begin({ timeout: 1_000 });
    expect(clock.pending).toEqual([1_000]);
    clock.advance(1_000);
    expect(await ended).toMatchObject({ message: 'Request timed out', data: { timeout: 1_000 } });
    expect(clock.pending).toEqual([]);
  });

  it('restarts the timeout at each progress notification, if configured', () => {
    const { clock, begin } = start();
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress);
    const patient = begin({ timeout: 1_000, onprogress, resetTimeoutOnProgress: true });
    const strict = begin({ timeout: 1_000, onprogress });
    clock.advance(600);
    patient.given.onprogress?.({ progress: 1 });
    strict.given.onprogress?.({ progress: 2 });
    expect(clock.pending.toSorted()).toEqual([1_000, 400]);
    expect(seen).toEqual([1, 2]);
  });

  it('pauses the timeout while the user is asked, and restarts it after the last answer', async () => {
    const { clock, calls, begin } = start();
    const { ended, given } = begin({ timeout: 1_000, onprogress: () => {}, resetTimeoutOnProgress: true });
    const answers: (() => void)[] = [];
    const ask = (): Promise<void> => calls.whileAsking(() => new Promise((resolve) => answers.push(resolve)));
    const [first, second] = [ask(), ask()];
    clock.advance(600_000);
    begin({ timeout: 2_000 });
    given.onprogress?.({ progress: 1 });
    answers[0]?.();
    await first;
    expect(clock.pending).toEqual([]);
    answers[1]?.();
    await second;
    expect(clock.pending).toEqual([1_000, 2_000]);
    clock.advance(1_000);
    expect(await ended).toMatchObject({ message: 'Request timed out' });
  });

  it('goes on when a question fails', async () => {
    const { clock, calls, begin } = start();
    begin({ timeout: 1_000 });
    await expect(calls.whileAsking(() => Promise.reject(new Error('withdrawn')))).rejects.toThrow('withdrawn');
    expect(clock.pending).toEqual([1_000]);
  });

  it('ends a call with its caller, even one that has given up before, and leaves nothing behind', async () => {
    const { clock, begin } = start();
    const caller = new AbortController();
    const late = begin({ timeout: 1_000, signal: caller.signal });
    caller.abort(new Error('enough'));
    const early = begin({ timeout: 1_000, signal: caller.signal });
    expect([await late.ended, await early.ended]).toEqual([new Error('enough'), new Error('enough')]);
    expect(clock.pending).toEqual([]);
  });

  it('does not limit requests without a timeout', () => {
    const { clock, begin } = start();
    expect(begin({}).given).toEqual({});
    expect(clock.pending).toEqual([]);
  });
});

describe('a call', () => {
  it('waits while the user is asked, then applies the usual timeout', async () => {
    const clock = manualClock();
    const hub = createHub({ servers: { asking: oddServer('asking'), waiting: oddServer('waiting') }, clock });
    let answer: (() => void) | undefined;
    const peer: Peer = {
      capabilities: { elicitation: {} },
      request: () =>
        new Promise((resolve) => {
          answer = () => resolve({ action: 'accept', content: { name: 'Ada' } });
        }),
      notify: () => {},
    };
    await hub.start({ peer });
    const call = (id: string): Promise<JsonObject> => {
      const tool = hub.snapshot().get(id);
      if (tool === undefined) throw new Error('no tool');
      return hub.call({ tool, arguments: {}, origin: { peer } });
    };
    const asking = call('asking/ask');
    await until(() => answer !== undefined);
    const silent = call('waiting/wait');
    silent.catch(() => {});
    await until(() => clock.pending.includes(300_000));
    clock.advance(300_000);
    await expect(silent).rejects.toThrow('Request timed out');
    answer?.();
    expect(textOf(await asking)).toContain('Ada');
    await hub.close();
  });
});
