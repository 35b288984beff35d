import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headBytes, type Posting, writeGap, writeHead } from '../index/posting-list.ts';
import { BestTools, findBar, type RankedTools, ToolSums, type WeightedPostings } from './tool-sums.ts';

/** Blocks of one tool, of two, of four, of sixteen and of sixty-four, the last one full or not. */
const TOOL_COUNTS = [1, 7, 1_024, 2_048, 2_051, 9_999, 70_001];

const anyLists = fc.record({
  toolCount: fc.constantFrom(...TOOL_COUNTS),
  lists: fc.array(
    fc.record({
      // From runs without a gap to gaps of three bytes.
      mostGap: fc.constantFrom(0, 3, 127, 300, 40_000),
      impacts: fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 200 }),
      gaps: fc.infiniteStream(fc.nat()),
      weight: fc.integer({ min: 1, max: 16_383 }),
      shape: fc.constantFrom('plain', 'dense'),
    }),
    { maxLength: 6 },
  ),
});

describe('ToolSums', () => {
  it('adds lists up, and finds the tools that come up to a sum', () => {
    fc.assert(
      fc.property(anyLists, fc.integer({ min: 1, max: 80 }), ({ toolCount, lists }, count) => {
        const sums = new ToolSums(toolCount);
        const expected = new Int32Array(toolCount);
        for (const { mostGap, impacts, gaps, weight, shape } of lists) {
          const list = spread(impacts, gaps, { mostGap, toolCount });
          for (const { tool, impact } of list) {
            expected[tool] = (expected[tool] ?? 0) + weight * impact;
          }
          if (shape === 'plain') {
            sums.addPlain(write(list, weight));
          } else {
            sums.addDense(dense(list, toolCount), 1, weight);
          }
        }
        expect(sums.sums).toEqual(expected);
        const most = Math.max(1, ...lists.map(({ weight }) => weight * 255 * lists.length));
        const bar = sums.findBar(count, most);
        const tools = new Uint32Array(toolCount);
        const found = [...tools.subarray(0, sums.collect(bar, tools))];
        expect(found).toEqual([...expected.keys()].filter((tool) => (expected[tool] ?? 0) >= bar));
        expect(bar === 1 || found.length >= count).toBe(true);
      }),
    );
  });

  it('takes off what it adds, and finds the same tools before and after', () => {
    fc.assert(
      fc.property(anyLists, ({ toolCount, lists }) => {
        const sums = new ToolSums(toolCount);
        sums.addDense(new Uint8Array(toolCount).fill(1), 0, 2);
        for (const { mostGap, impacts, gaps, weight } of lists) {
          const list = write(spread(impacts, gaps, { mostGap, toolCount }), weight);
          sums.addPlain({ ...list, weight: -weight });
          sums.addPlain(list);
        }
        expect(sums.sums.every((sum) => sum === 2)).toBe(true);
        expect(sums.collect(2, new Uint32Array(toolCount))).toBe(toolCount);
        expect(sums.collect(3, new Uint32Array(toolCount))).toBe(0);
      }),
    );
  });

  it('has only zeros after it is cleared', () => {
    const sums = new ToolSums(100);
    sums.addDense(new Uint8Array(100).fill(9), 0, 3);
    sums.clear();
    expect(sums.sums).toEqual(new Int32Array(100));
    expect(sums.collect(1, new Uint32Array(100))).toBe(0);
  });
});

/** As many postings as there is room for. */
function spread(
  impacts: readonly number[],
  gaps: IterableIterator<number>,
  { mostGap, toolCount }: { readonly mostGap: number; readonly toolCount: number },
): Posting[] {
  const list: Posting[] = [];
  let tool = -1;
  for (const impact of impacts) {
    tool += 1 + ((gaps.next().value ?? 0) % (mostGap + 1));
    if (tool >= toolCount) break;
    list.push({ tool, impact });
  }
  return list.length > 0 ? list : [{ tool: 0, impact: 1 }];
}

function write(list: readonly Posting[], weight: number): WeightedPostings {
  const postings = new Uint8Array(headBytes(list.length) + list.length * 4);
  let end = headBytes(list.length);
  let next = 0;
  for (const { tool, impact } of list) {
    end = writeGap(postings, end, tool - next);
    postings[end++] = impact;
    next = tool + 1;
  }
  writeHead(postings, 0, list.length);
  return { postings, start: 0, end, weight };
}

/** An impact for each tool, after a byte that belongs to another list. */
function dense(list: readonly Posting[], toolCount: number): Uint8Array {
  const impacts = new Uint8Array(toolCount + 1).fill(255, 0, 1);
  for (const { tool, impact } of list) {
    impacts[tool + 1] = impact;
  }
  return impacts;
}

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

describe('findBar', () => {
  it('finds a bar that as many numbers as wanted come up to, and not many more than a range below the last of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0x7fffffff }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 80 }),
        (numbers, count) => {
          const most = Math.max(1, ...numbers);
          const bar = findBar(Int32Array.from(numbers), numbers.length, { count, most });
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
