import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInSlices } from '../slices/index.ts';
import { buildVectorIndex, buildVectorIndexInSteps } from './vector-index.ts';

const DIMENSIONS = 8;
const vectorOf = (id: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(id * 8 + i));

/** A clock that goes on by some milliseconds with each vector. */
function slowVectors(ms: number): { vectorOf: (id: number) => Float32Array; now: () => number } {
  let time = 0;
  return {
    vectorOf: (id) => {
      time += ms;
      return vectorOf(id);
    },
    now: () => time,
  };
}

describe('buildVectorIndexInSteps, run in slices', () => {
  it('gives what is built at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 40 }), fc.nat({ max: 3 }), async (count, sliceMs) => {
        const { now, ...slow } = slowVectors(1);
        const pause = async (): Promise<void> => {};
        const size = { count, dimensions: DIMENSIONS };
        const built = await runInSlices(buildVectorIndexInSteps(size, slow.vectorOf), { sliceMs, pause, now });
        expect(built).toEqual(buildVectorIndex(count, DIMENSIONS, vectorOf));
      }),
    );
  });

  it.each([
    { count: 12, each: 5, sliceMs: 15, pauses: 3, why: 'whenever a slice has lasted its time, but not at the end' },
    { count: 13, each: 5, sliceMs: 15, pauses: 4, why: 'before a last slice too, however short' },
    { count: 4, each: 100, sliceMs: 15, pauses: 3, why: 'after a vector that took longer than a slice' },
    { count: 9, each: 1, sliceMs: 15, pauses: 0, why: 'never when a slice is enough' },
  ])('pauses $pauses times for $count vectors: $why', async ({ count, each, sliceMs, pauses }) => {
    const slow = slowVectors(each);
    let paused = 0;
    await runInSlices(buildVectorIndexInSteps({ count, dimensions: DIMENSIONS }, slow.vectorOf), {
      sliceMs,
      now: slow.now,
      pause: async () => {
        paused += 1;
      },
    });
    expect(paused).toBe(pauses);
  });

  it('ends when its signal aborts, at the next pause', async () => {
    const owner = new AbortController();
    const built: number[] = [];
    const counted = (id: number): Float32Array => {
      built.push(id);
      if (id === 2) owner.abort(new Error('closed'));
      return vectorOf(id);
    };
    const size = { count: 9, dimensions: DIMENSIONS };
    const building = runInSlices(buildVectorIndexInSteps(size, counted), { sliceMs: 0, signal: owner.signal });
    await expect(building).rejects.toThrow('closed');
    expect(built).toEqual([0, 1, 2]);
  });

  it('lets timers and input have their turn by default', async () => {
    let isOthersTurn = false;
    setImmediate(() => {
      isOthersTurn = true;
    });
    await runInSlices(buildVectorIndexInSteps({ count: 3, dimensions: DIMENSIONS }, vectorOf), { sliceMs: 0 });
    expect(isOthersTurn).toBe(true);
  });
});
