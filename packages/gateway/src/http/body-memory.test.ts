import { describe, expect, it } from 'vitest';
import { allocateBodyMemory, freeChunk, releaseBodyMemory } from './read-bytes.ts';

const MEGABYTE = 1024 * 1024;

describe('memory of bodies', () => {
  it('can be shared, and is used again once it was given back', () => {
    const first = allocateBodyMemory(3 * MEGABYTE);
    expect(first.buffer).toBeInstanceOf(SharedArrayBuffer);
    const second = allocateBodyMemory(3 * MEGABYTE);
    expect(second.buffer).not.toBe(first.buffer);
    releaseBodyMemory(first);
    const third = allocateBodyMemory(2 * MEGABYTE);
    expect(third.buffer).toBe(first.buffer);
    expect(third).toHaveLength(2 * MEGABYTE);
    expect(allocateBodyMemory(2 * MEGABYTE).buffer).not.toBe(first.buffer);
  });

  it('given back twice, it is not given to two', () => {
    const memory = allocateBodyMemory(5 * MEGABYTE);
    releaseBodyMemory(memory);
    releaseBodyMemory(memory);
    expect(allocateBodyMemory(5 * MEGABYTE).buffer).toBe(memory.buffer);
    expect(allocateBodyMemory(5 * MEGABYTE).buffer).not.toBe(memory.buffer);
  });

  it.each([
    ['too small', 7],
    ['far too large', 17],
  ])('memory that is %s is not used again', (_, megabytes) => {
    const memory = allocateBodyMemory(megabytes * MEGABYTE);
    releaseBodyMemory(memory);
    expect(allocateBodyMemory(8 * MEGABYTE).buffer).not.toBe(memory.buffer);
  });

  it('no more is kept than a few of the latest', () => {
    const pieces = Array.from({ length: 40 }, () => allocateBodyMemory(20_000));
    for (const piece of pieces) releaseBodyMemory(piece);
    const again = new Set(Array.from({ length: 40 }, () => allocateBodyMemory(20_000).buffer));
    expect(pieces.map(({ buffer }) => again.has(buffer))).toEqual(pieces.map((_, index) => index >= 40 - 32));
    const large = [allocateBodyMemory(40 * MEGABYTE), allocateBodyMemory(40 * MEGABYTE)];
    for (const piece of large) releaseBodyMemory(piece);
    expect(allocateBodyMemory(40 * MEGABYTE).buffer).toBe(large[1]?.buffer);
    expect(allocateBodyMemory(40 * MEGABYTE).buffer).not.toBe(large[0]?.buffer);
  });

  it.each([
    ['a small body', 1000],
    ['a body of extraordinary size', 65 * MEGABYTE],
  ])('%s has ordinary memory', (_, bytes) => {
    const memory = allocateBodyMemory(bytes);
    expect(memory).toHaveLength(bytes);
    expect(memory.buffer).toBeInstanceOf(ArrayBuffer);
    releaseBodyMemory(memory);
    expect(allocateBodyMemory(bytes).buffer).not.toBeInstanceOf(SharedArrayBuffer);
  });
});

describe('a piece of a body that was copied', () => {
  it('is freed at once', () => {
    const chunk = Buffer.from(new ArrayBuffer(64 * 1024));
    freeChunk(chunk);
    expect([chunk.length, chunk.buffer.byteLength]).toEqual([0, 0]);
  });

  it.each([
    ['part of a larger memory', Buffer.from(new ArrayBuffer(64 * 1024), 0, 32 * 1024)],
    ['shared with other threads', Buffer.from(new SharedArrayBuffer(64 * 1024))],
    ['short', Buffer.from(new ArrayBuffer(1024))],
  ])('stays where it is %s', (_, chunk) => {
    const { length } = chunk;
    freeChunk(chunk);
    expect(chunk.length).toBe(length);
  });
});
