import { describe, expect, it } from 'vitest';
import { runInSlices, runToEnd, stepThrough } from './slices.ts';

/** A clock that goes on only when work is done, and a pause that notes when it came. */
function slowWork({ steps, msPerStep }: { readonly steps: number; readonly msPerStep: number }) {
  let time = 1_000;
  let done = 0;
  const pausedAt: number[] = [];
  function* work(): Generator<void, string> {
    for (; done < steps; done++) {
      time += msPerStep;
      yield;
    }
    return 'finished';
  }
  const pause = async (): Promise<void> => {
    pausedAt.push(done);
    time += 500;
  };
  return { work: work(), now: () => time, pause, pausedAt, done: () => done };
}

describe('slices of time', () => {
  it('work that takes less than a slice runs through', async () => {
    const { work, now, pause, pausedAt } = slowWork({ steps: 9, msPerStep: 0.4 });
    expect(await runInSlices(work, { sliceMs: 4, now, pause })).toBe('finished');
    expect(pausedAt).toEqual([]);
  });

  it('pauses at the first chance after a slice has lasted its time; the pause itself doesn’t count', async () => {
    const { work, now, pause, pausedAt } = slowWork({ steps: 10, msPerStep: 1.5 });
    await runInSlices(work, { sliceMs: 4, now, pause });
    expect(pausedAt).toEqual([2, 5, 8]);
  });

  it('a slice of no time pauses wherever it can', async () => {
    const { work, now, pause, pausedAt } = slowWork({ steps: 5, msPerStep: 0 });
    await runInSlices(work, { sliceMs: 0, now, pause });
    expect(pausedAt).toEqual([0, 1, 2, 3, 4]);
  });

  it('stops after the pause in which its signal was aborted', async () => {
    const controller = new AbortController();
    const { work, now, pause, done } = slowWork({ steps: 10, msPerStep: 5 });
    const pauseAndAbort = async (): Promise<void> => {
      await pause();
      if (done() === 3) controller.abort(new Error('enough'));
    };
    const running = runInSlices(work, { sliceMs: 4, now, pause: pauseAndAbort, signal: controller.signal });
    await expect(running).rejects.toThrow('enough');
    expect(done()).toBe(3);
  });

  it('does not begin for a signal that is aborted already', async () => {
    const { work, now, pause, done } = slowWork({ steps: 10, msPerStep: 0 });
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(runInSlices(work, { sliceMs: 4, now, pause, signal })).rejects.toThrow('too late');
    expect(done()).toBe(0);
  });
});

describe('steps through many things', () => {
  it.each([
    { count: 0, size: 3, firsts: [] },
    { count: 2, size: 3, firsts: [0] },
    { count: 6, size: 3, firsts: [0, 3] },
    { count: 7, size: 3, firsts: [0, 3, 6] },
  ])('$count things, $size a step: each step goes on where the one before ended', ({ count, size, firsts }) => {
    const begun: number[] = [];
    runToEnd(
      stepThrough(count, (first) => {
        begun.push(first);
        return Math.min(first + size, count);
      }),
    );
    expect(begun).toEqual(firsts);
  });

  it('yields between two steps, and neither before the first nor after the last', () => {
    const done: (number | 'yield')[] = [];
    const steps = stepThrough(3, (first) => {
      done.push(first);
      return first + 1;
    });
    while (steps.next().done !== true) done.push('yield');
    expect(done).toEqual([0, 'yield', 1, 'yield', 2]);
  });
});
