import { describe, expect, it } from 'vitest';
import { SharedBuild } from './slices.ts';

/** A build of some steps that notes how often it was begun, and pauses that end when they are told to. */
function heldBuild(options: { readonly signal?: AbortSignal } = {}) {
  const counts = { begun: 0, ended: 0 };
  const paused: (() => void)[] = [];
  function* steps(): Generator<void, { readonly build: number }> {
    counts.begun += 1;
    const build = counts.begun;
    yield;
    yield;
    counts.ended += 1;
    return { build };
  }
  const pause = (): Promise<void> => new Promise((resolve) => void paused.push(resolve));
  const shared = new SharedBuild({ steps, slices: { sliceMs: 0, pause, ...options } });
  const goOn = async (): Promise<void> => {
    for (let next = paused.shift(); next !== undefined; next = paused.shift()) {
      next();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  return { shared, counts, goOn };
}

describe('a shared build', () => {
  it('begins when it is first asked for, and once for all that wait and all that come later', async () => {
    const { shared, counts, goOn } = heldBuild();
    expect(counts.begun).toBe(0);
    const waiting = Promise.all([shared.wait(), shared.wait()]);
    expect(shared.built).toBeUndefined();
    await goOn();
    const [first, second] = await waiting;
    expect(second).toBe(first);
    expect(await shared.wait()).toBe(first);
    expect(shared.built).toBe(first);
    expect(counts).toEqual({ begun: 1, ended: 1 });
  });

  it('does not begin for what is there already', async () => {
    const built = { build: 0 };
    const steps = (): never => {
      throw new Error('Not wanted');
    };
    const shared = new SharedBuild({ steps, built });
    expect(shared.built).toBe(built);
    expect(await shared.wait()).toBe(built);
  });

  it('continues for the others when a caller gives up', async () => {
    const { shared, counts, goOn } = heldBuild();
    const controller = new AbortController();
    const impatient = shared.wait(controller.signal);
    const patient = shared.wait();
    controller.abort(new Error('gone'));
    await expect(impatient).rejects.toThrow('gone');
    await goOn();
    expect(await patient).toEqual({ build: 1 });
    expect(counts).toEqual({ begun: 1, ended: 1 });
  });

  it('does not begin for a caller who has gone already', async () => {
    const { shared, counts } = heldBuild();
    await expect(shared.wait(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(counts.begun).toBe(0);
  });

  it('ends for everybody when its owner closes', async () => {
    const owner = new AbortController();
    const { shared, counts, goOn } = heldBuild({ signal: owner.signal });
    const waiting = Promise.allSettled([shared.wait(), shared.wait()]);
    owner.abort(new Error('closed'));
    await goOn();
    const closed = { status: 'rejected', reason: new Error('closed') };
    expect(await waiting).toEqual([closed, closed]);
    expect(counts).toEqual({ begun: 1, ended: 0 });
  });

  it.each([0, 2])(
    'that failed after %i steps fails for all that waited, and is tried again by the next',
    async (done) => {
      let begun = 0;
      function* steps(): Generator<void, { readonly build: number }> {
        begun += 1;
        for (let step = 0; step < done; step += 1) yield;
        if (begun === 1) throw new Error('down');
        return { build: begun };
      }
      const shared = new SharedBuild({ steps, slices: { sliceMs: 0, pause: async () => {} } });
      const down = { status: 'rejected', reason: new Error('down') };
      expect(await Promise.allSettled([shared.wait(), shared.wait()])).toEqual([down, down]);
      expect(shared.built).toBeUndefined();
      expect(await shared.wait()).toEqual({ build: 2 });
    },
  );
});
