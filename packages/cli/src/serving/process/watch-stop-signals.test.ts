import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type SignalSource, watchStopSignals } from './watch-stop-signals.ts';

function watch(onReload?: () => void) {
  const source = new EventEmitter();
  const heard: string[] = [];
  let due: { readonly at: number; readonly run: () => void } | undefined;
  let time = 0;
  const parent = { now: 41, look: undefined as (() => void) | undefined };
  const release = watchStopSignals({
    source: source as SignalSource,
    after(delayMs, run) {
      due = { at: time + delayMs, run };
      return () => {
        due = undefined;
      };
    },
    parent: {
      id: () => parent.now,
      repeat(action) {
        parent.look = action;
        return () => {
          parent.look = undefined;
        };
      },
    },
    onReload,
    onStop: (signal) => heard.push(`stop ${signal}`),
    onForce: (signal) => heard.push(`force ${signal}`),
  });
  return {
    heard,
    release,
    source,
    parent,
    /** @param isBusy whether no timer could run until then */
    send(signal: string, at: number, { isBusy = false } = {}) {
      time = at;
      if (!isBusy && due !== undefined && time >= due.at) due.run();
      source.emit(signal, signal);
    },
  };
}

describe('watchStopSignals', () => {
  it('stops at the first signal and forces at a later one', () => {
    const { heard, send } = watch();
    send('SIGINT', 5);
    send('SIGTERM', 2_000);
    expect(heard).toEqual(['stop SIGINT', 'force SIGTERM']);
  });

  it('treats signals that arrive together as one: npm forwards what the terminal has sent already', () => {
    const { heard, send } = watch();
    send('SIGINT', 5);
    send('SIGINT', 6);
    send('SIGTERM', 1_004);
    expect(heard).toEqual(['stop SIGINT']);
  });

  it('treats signals as one that wait together while the process is busy', () => {
    const { heard, send } = watch();
    send('SIGINT', 5);
    send('SIGTERM', 2_000, { isBusy: true });
    expect(heard).toEqual(['stop SIGINT']);
  });

  it('stops once if the shell between npm and this process dies without forwarding a signal', () => {
    const { heard, parent } = watch();
    const { look } = parent;
    look?.();
    expect(heard).toEqual([]);
    parent.now = 1;
    look?.();
    expect(heard).toEqual(['stop SIGTERM']);
    expect(parent.look).toBeUndefined();
  });

  it('reloads at SIGHUP if there is something to reload, and stops otherwise', () => {
    let reloads = 0;
    const reloading = watch(() => {
      reloads += 1;
    });
    reloading.send('SIGHUP', 5);
    reloading.send('SIGHUP', 6);
    expect([reloads, reloading.heard]).toEqual([2, []]);
    const plain = watch();
    plain.send('SIGHUP', 5);
    expect(plain.heard).toEqual(['stop SIGHUP']);
  });

  it('ignores signals when it is released', () => {
    const { source, release, parent } = watch();
    release();
    expect(source.eventNames()).toEqual([]);
    expect(parent.look).toBeUndefined();
  });
});
