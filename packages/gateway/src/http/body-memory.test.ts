import { describe, expect, it } from 'vitest';
import { giveMemory, takeMemory } from './body-memory.ts';

const MEGABYTE = 1024 * 1024;

describe('memory of bodies', () => {
  it('can be shared, and is used again once it was given back', () => {
    const first = takeMemory(3 * MEGABYTE);
    expect(first.buffer).toBeInstanceOf(SharedArrayBuffer);
    const second = takeMemory(3 * MEGABYTE);
    expect(second.buffer).not.toBe(first.buffer);
    giveMemory(first);
    const third = takeMemory(2 * MEGABYTE);
    expect(third.buffer).toBe(first.buffer);
    expect(third).toHaveLength(2 * MEGABYTE);
    expect(takeMemory(2 * MEGABYTE).buffer).not.toBe(first.buffer);
  });

  it('given back twice, it is not given to two', () => {
    const memory = takeMemory(5 * MEGABYTE);
    giveMemory(memory);
    giveMemory(memory);
    expect(takeMemory(5 * MEGABYTE).buffer).toBe(memory.buffer);
    expect(takeMemory(5 * MEGABYTE).buffer).not.toBe(memory.buffer);
  });

  it.each([
    ['too small', 7],
    ['far too large', 17],
  ])('memory that is %s is not used again', (_, megabytes) => {
    const memory = takeMemory(megabytes * MEGABYTE);
    giveMemory(memory);
    expect(takeMemory(8 * MEGABYTE).buffer).not.toBe(memory.buffer);
  });

  it('no more is kept than a few of the latest', () => {
    const pieces = Array.from({ length: 40 }, () => takeMemory(20_000));
    for (const piece of pieces) giveMemory(piece);
    const again = new Set(Array.from({ length: 40 }, () => takeMemory(20_000).buffer));
    expect(pieces.map(({ buffer }) => again.has(buffer))).toEqual(pieces.map((_, index) => index >= 40 - 32));
    const large = [takeMemory(40 * MEGABYTE), takeMemory(40 * MEGABYTE)];
    for (const piece of large) giveMemory(piece);
    expect(takeMemory(40 * MEGABYTE).buffer).toBe(large[1]?.buffer);
    expect(takeMemory(40 * MEGABYTE).buffer).not.toBe(large[0]?.buffer);
  });

  it.each([
    ['a small body', 1000],
    ['a body of extraordinary size', 65 * MEGABYTE],
  ])('%s has ordinary memory', (_, bytes) => {
    const memory = takeMemory(bytes);
    expect(memory).toHaveLength(bytes);
    expect(memory.buffer).toBeInstanceOf(ArrayBuffer);
    giveMemory(memory);
    expect(takeMemory(bytes).buffer).not.toBeInstanceOf(SharedArrayBuffer);
  });
});
