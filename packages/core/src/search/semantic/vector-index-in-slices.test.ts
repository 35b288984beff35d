import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInSlices, runToEnd } from '../../slices.ts';
import { buildMarkedVectorsInSteps, buildVectorIndex, buildVectorIndexInSteps } from './vector-index.ts';

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

describe('vectors of which another index has most', () => {
  const marksOf = (ids: readonly number[]): Uint32Array<ArrayBuffer> =>
    Uint32Array.from(ids.flatMap((id) => [Math.imul(id + 1, 0x9e3779b1) >>> 0, id]));
  const build = (ids: readonly number[], others: Parameters<typeof buildMarkedVectorsInSteps>[1]['others'] = []) => {
    const made: number[] = [];
    const index = runToEnd(
      buildMarkedVectorsInSteps(
        { count: ids.length, dimensions: DIMENSIONS },
        {
          ...{ marks: marksOf(ids), others },
          vectorOf: (at) => {
            made.push(ids[at] as number);
            return vectorOf(ids[at] as number);
          },
        },
      ),
    );
    return { index, made };
  };

  it('are copied in runs of any length, and only the others are made', () => {
    const before = Array.from({ length: 1_500 }, (_, id) => id);
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(1_499), remove: fc.nat(700), add: fc.nat(3) }), { maxLength: 4 }),
        (edits) => {
          const ids = [...before];
          const added: number[] = [];
          for (const { at, remove, add } of edits) {
            const fresh = Array.from({ length: add }, (_, count) => 10_000 + 10 * added.length + count);
            ids.splice(Math.min(at, ids.length), remove, ...fresh);
            added.push(...fresh);
          }
          const { index, made } = build(ids, [build(before).index]);
          expect(index).toEqual(build(ids).index);
          expect(made.every((id) => added.includes(id))).toBe(true);
        },
      ),
      { numRuns: 10 },
    );
  });
});
