import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BestTools, RangeCounter, type RankedTools } from './best-tools.ts';

describe('BestTools', () => {
  it('gives the tools with the greatest sums, ties in catalog order, as sorting all of them would', () => {
    const best = new BestTools();
    const anySum = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 0x7fffffff }));
    fc.assert(
      fc.property(
        fc.array(anySum, { minLength: 1, maxLength: 700 }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        (sums, count, isReversed) => {
          const order = sums.map((_, tool) => tool);
          const tools = Uint32Array.from(isReversed ? order.reverse() : order);
          const most = Math.max(...sums);
          const summed = { sums: Int32Array.from(sums), tools, size: sums.length, most };
          const expected = sums
            .map((sum, tool) => ({ tool, sum }))
            .sort((left, right) => right.sum - left.sum || left.tool - right.tool)
            .slice(0, count);
          expect(listRanked(best.rank(summed, count))).toEqual(expected);
          const chosen = listRanked(best.choose(summed, count));
          expect(chosen.sort((left, right) => right.sum - left.sum || left.tool - right.tool)).toEqual(expected);
        },
      ),
    );
  });
});

function listRanked({ size, tools, sums }: RankedTools): { tool: number; sum: number }[] {
  return Array.from({ length: size }, (_, place) => ({ tool: tools[place] ?? 0, sum: sums[place] ?? 0 }));
}

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
