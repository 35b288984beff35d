import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from './line-reader.ts';

function readAll(chunks: readonly Buffer[], maxLineBytes: number): { lines: string[]; overflows: number } {
  const lines: string[] = [];
  let overflows = 0;
  const read = createLineReader({
    maxLineBytes,
    onLine: (line) => lines.push(line),
    onOverflow: () => {
      overflows += 1;
    },
  });
  for (const chunk of chunks) read(chunk);
  return { lines, overflows };
}

function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

describe('createLineReader', () => {
  it('gives the same lines however the bytes are cut, as splitting the whole text does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' ', '\r') })),
        fc.array(fc.integer({ min: 0, max: 7 })),
        (texts, sizes) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''), 'utf8');
          const expected = texts.map((text) => text.trim()).filter((text) => text !== '');
          expect(readAll(cut(bytes, sizes), 1_000).lines).toEqual(expected);
        },
      ),
    );
  });

  it('passes over a line that is too long, and reads on', () => {
    const text = `short\n${'x'.repeat(50)}\nnext\n`;
    expect(readAll(cut(Buffer.from(text), [8, 8, 8, 8]), 20)).toEqual({ lines: ['short', 'next'], overflows: 1 });
  });
});
