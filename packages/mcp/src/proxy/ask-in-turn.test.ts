import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { askInTurn } from './ask-in-turn.ts';

type Ask = (signal: AbortSignal) => Promise<string>;

const answering =
  (answer: string): Ask =>
  async () =>
    answer;
const failing =
  (reason: string): Ask =>
  () =>
    Promise.reject(new Error(reason));
const silent: Ask = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** Notes in which order they are asked, and who is told that it is over. */
function noting(asks: readonly Ask[]): { readonly asks: readonly Ask[]; readonly asked: number[]; ended: number[] } {
  const asked: number[] = [];
  const ended: number[] = [];
  const noted = asks.map(
    (ask, index): Ask =>
      (signal) => {
        asked.push(index);
        signal.addEventListener('abort', () => ended.push(index));
        return ask(signal);
      },
  );
  return { asks: noted, asked, ended };
}

const { signal } = new AbortController();

describe('askInTurn', () => {
  it('asks the next one after a failure, and no other after an answer', async () => {
    const { asks, asked } = noting([failing('no'), answering('yes'), answering('later')]);
    expect(await askInTurn(asks, { clock: manualClock(), signal })).toBe('yes');
    expect(asked).toEqual([0, 1]);
  });

  it('moves on from one that does not answer, and stops waiting for it when another answers', async () => {
    const clock = manualClock();
    const { asks, asked, ended } = noting([silent, failing('no'), answering('yes')]);
    const answer = askInTurn(asks, { clock, signal });
    await until(() => clock.pending.length === 1);
    expect(asked).toEqual([0]);
    clock.advance(2_000);
    expect(await answer).toBe('yes');
    expect(asked).toEqual([0, 1, 2]);
    expect(ended).toContain(0);
    expect(clock.pending).toEqual([]);
  });

  it('accepts a late answer', async () => {
    const clock = manualClock();
    let tell = (_answer: string): void => {};
    const slow: Ask = () =>
      new Promise((resolve) => {
        tell = resolve;
      });
    const { asks, asked } = noting([slow, failing('no')]);
    const answer = askInTurn(asks, { clock, signal });
    await until(() => clock.pending.length === 1);
    clock.advance(2_000);
    await until(() => asked.length === 2);
    tell('at last');
    expect(await answer).toBe('at last');
  });

  it('waits for one that is sure to know, and asks the others only if it fails', async () => {
    const clock = manualClock();
    let fail = (_error: Error): void => {};
    const slow: Ask = () =>
      new Promise((_, reject) => {
        fail = reject;
      });
    const { asks, asked } = noting([slow, answering('yes')]);
    const answer = askInTurn(asks, { clock, signal, isFirstSure: true });
    expect(clock.pending).toEqual([]);
    expect(asked).toEqual([0]);
    fail(new Error('no'));
    expect(await answer).toBe('yes');
  });

  it('fails with the first one’s reason when all have failed', async () => {
    const asking = askInTurn([failing('not here'), failing('what is that?')], { clock: manualClock(), signal });
    await expect(asking).rejects.toThrow('not here');
  });

  it('stops with the caller, and asks no one else', async () => {
    const caller = new AbortController();
    const { asks, asked } = noting([silent, answering('yes')]);
    const asking = askInTurn(asks, { clock: manualClock(), signal: caller.signal });
    caller.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
    expect(asked).toEqual([0]);
  });

  it('has no answer if there is no one to ask', async () => {
    expect(await askInTurn([], { clock: manualClock(), signal })).toBeUndefined();
  });
});
