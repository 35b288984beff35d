import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findImpact,
  gapBytes,
  headBytes,
  MARK_DISTANCE,
  type Posting,
  readLength,
  readPeak,
  readPostings,
  writeGap,
  writeHead,
} from './posting-list.ts';

/** A list written as the index does, after some bytes that belong to another one. */
function write(postings: readonly Posting[], start: number): Uint8Array {
  let size = headBytes(postings.length);
  let next = 0;
  for (const { tool } of postings) {
    size += gapBytes(tool - next) + 1;
    next = tool + 1;
  }
  const bytes = new Uint8Array(start + size);
  let at = start + headBytes(postings.length);
  next = 0;
  for (const { tool, impact } of postings) {
    at = writeGap(bytes, at, tool - next);
    bytes[at++] = impact;
    next = tool + 1;
  }
  writeHead(bytes, start, postings.length);
  return bytes;
}

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

describe('posting lists', () => {
  it('come back as they were written, with length and peak', () => {
    fc.assert(
      fc.property(anyList, fc.nat({ max: 40 }), (postings, start) => {
        const bytes = write(postings, start);
        expect(readLength(bytes, start)).toBe(postings.length);
        expect(readPeak(bytes, start)).toBe(Math.max(...postings.map(({ impact }) => impact)));
        expect(readPostings(bytes, start + headBytes(postings.length), bytes.length)).toEqual(postings);
      }),
    );
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
