import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RangeCounter } from './range-counter.ts';

describe('RangeCounter', () => {
  it('finds a bar that as many numbers as wanted come up to, and not many more than a range below the last of them', () => {
    const counter = new RangeCounter();
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0x7fffffff }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 80 }),
        (numbers, count) => {
          const most = Math.max(1, ...numbers);
          const bar = counter.findBar(Int32Array.from(numbers), numbers.length, { count, most });
          const last = [...numbers].sort((left, right) => right - left)[count - 1];
          if (last === undefined) {
            expect(bar).toBe(1);
          } else {
            expect(bar).toBeLessThanOrEqual(Math.max(1, last));
            expect(bar).toBeGreaterThan(last - most / 128);
          }
        },
      ),
    );
  });
});
