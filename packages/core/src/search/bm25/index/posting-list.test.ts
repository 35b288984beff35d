import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  denseImpacts,
  findImpact,
  foldedDifferences,
  gapBytes,
  headBytes,
  isDense,
  isFolded,
  MARK_DISTANCE,
  type Posting,
  readLength,
  readPeak,
  readPostings,
  writeDense,
  writeFoldedHead,
  writeGap,
  writeHead,
} from './posting-list.ts';

/** A plain list written as the index does, after some bytes that belong to another one. */
function write(postings: readonly Posting[], start: number): Uint8Array {
  const bytes = new Uint8Array(start + headBytes(postings.length) + postings.length * 4);
  let at = start + headBytes(postings.length);
  let next = 0;
  for (const { tool, impact } of postings) {
    at = writeGap(bytes, at, tool - next);
    bytes[at++] = impact;
    next = tool + 1;
  }
  writeHead(bytes, start, postings.length);
  return bytes.slice(0, at);
}

/** With as many tools no list of these is dense. */
const SPARSE = 0x1fffff;

/** Gaps of one, two and three bytes, and long runs without any. */
const anyGap = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 130 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 20_000 }) },
);
const anyList = fc
  .array(fc.tuple(anyGap, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 5 * MARK_DISTANCE })
  .map((pairs) => {
    let tool = -1;
    return pairs.map(([gap, impact]): Posting => {
      tool += gap + 1;
      return { tool, impact };
    });
  });

const anyDenseList = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 3, maxLength: 300 })
  .map((impacts) => ({
    postings: impacts.flatMap((impact, tool) => (impact > 0 ? [{ tool, impact }] : [])),
    toolCount: impacts.length,
  }))
  .filter(({ postings, toolCount }) => postings.length > 1 && postings.length * 2 >= toolCount);

describe('posting lists', () => {
  it('come back as they were written, with length and peak', () => {
    fc.assert(
      fc.property(anyList, fc.nat({ max: 40 }), (postings, start) => {
        const bytes = write(postings, start);
        expect(readLength(bytes, start)).toBe(postings.length);
        expect(readPeak(bytes, start)).toBe(Math.max(...postings.map(({ impact }) => impact)));
        expect(isFolded(bytes, start)).toBe(false);
        expect(readPostings(bytes, start, bytes.length, SPARSE)).toEqual(postings);
      }),
    );
  });

  it('have a byte for each tool when they name half of them or more', () => {
    fc.assert(
      fc.property(anyDenseList, fc.nat({ max: 40 }), ({ postings, toolCount }, start) => {
        const plain = { postings: write(postings, 0), from: headBytes(postings.length), length: postings.length };
        const bytes = new Uint8Array(start + gapBytes(postings.length) + 1 + toolCount);
        writeDense(bytes, start, plain);
        expect(isDense(postings.length, toolCount)).toBe(true);
        expect(readLength(bytes, start)).toBe(postings.length);
        expect(readPeak(bytes, start)).toBe(Math.max(...postings.map(({ impact }) => impact)));
        expect(readPostings(bytes, start, bytes.length, toolCount)).toEqual(postings);
        const impacts = new Map(postings.map(({ tool, impact }) => [tool, impact]));
        const first = denseImpacts(bytes, start);
        expect(bytes).toHaveLength(first + toolCount);
        for (let tool = 0; tool < toolCount; tool += 1) {
          expect(bytes[first + tool]).toBe(impacts.get(tool) ?? 0);
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([2, 200, 20_000])('of %i tools say that they are folded, and still their length and peak', (length) => {
    const bytes = new Uint8Array(16);
    const at = writeFoldedHead(bytes, 3, length, 77);
    expect(isFolded(bytes, 3)).toBe(true);
    expect(readLength(bytes, 3)).toBe(length);
    expect(readPeak(bytes, 3)).toBe(77);
    expect(foldedDifferences(bytes, 3)).toBe(at);
  });

  it('find the impact of each tool in them, and of no other', () => {
    fc.assert(
      fc.property(anyList, fc.nat({ max: 40 }), (postings, start) => {
        const bytes = write(postings, start);
        const impacts = new Map(postings.map(({ tool, impact }) => [tool, impact]));
        for (const { tool } of postings) {
          for (const near of [tool - 1, tool, tool + 1]) {
            expect(findImpact(bytes, start, bytes.length, near)).toBe(impacts.get(near) ?? 0);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [0x1fffff, 3],
  ])('hold a gap of %i in %i bytes', (gap, size) => {
    const bytes = new Uint8Array(4);
    expect(writeGap(bytes, 0, gap)).toBe(size);
    expect(gapBytes(gap)).toBe(size);
    expect(readLength(bytes, 0)).toBe(gap);
  });
});
