import { expect, it } from 'vitest';
import { every, pause } from './clock.ts';

/** A clock whose timers end when they are told to. */
function steppedClock() {
  const waiting = new Set<() => void>();
  return {
    waiting,
    after(_: number, run: () => void) {
      const timer = (): void => {
        waiting.delete(timer);
        run();
      };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
    step() {
      for (const timer of [...waiting]) timer();
    },
  };
}

it('pauses until the time is over, or its caller leaves', async () => {
  const clock = steppedClock();
  const waited = pause(clock, 10, new AbortController().signal);
  clock.step();
  await waited;
  const leaving = new AbortController();
  const left = pause(clock, 10, leaving.signal);
  leaving.abort('gone');
  await expect(left).rejects.toBe('gone');
  expect(clock.waiting.size).toBe(0);
});

it('repeats work once the last of it has ended, until it is stopped', async () => {
  const clock = steppedClock();
  const ends: (() => void)[] = [];
  const stop = every(clock, 10, () => new Promise<void>((resolve) => ends.push(resolve)));
  clock.step();
  clock.step();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  clock.step();
  expect(ends).toHaveLength(2);
  stop();
  ends[1]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.waiting.size).toBe(0);
});
