import { describe, expect, it } from 'vitest';
import { orderedReads } from './rounds.ts';
import type { Read } from './wire.ts';

const forward = (part: string): Read<string> => ({ kind: 'forward', part });

describe('orderedReads', () => {
  it('returns at once what comes before the first unfilled place', () => {
    const reads = orderedReads<string>();
    reads.add(forward('a'));
    reads.reserve();
    reads.add(forward('b'));
    expect(reads.take()).toEqual([forward('a')]);
    expect(reads.take()).toEqual([]);
  });

  it('returns the rest in order, whichever place is filled first', () => {
    const reads = orderedReads<string>();
    const first = reads.reserve();
    reads.add(forward('b'));
    const second = reads.reserve();
    second.fill(forward('c'));
    expect(reads.take()).toEqual([]);
    first.fill(forward('a'));
    expect(reads.take()).toEqual(['a', 'b', 'c'].map(forward));
  });

  it('skips a place that stays empty', () => {
    const reads = orderedReads<string>();
    reads.reserve().fill();
    reads.add(forward('a'));
    expect(reads.take()).toEqual([forward('a')]);
  });
});
