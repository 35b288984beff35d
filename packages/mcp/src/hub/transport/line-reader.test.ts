import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, type LongLine } from './line-reader.ts';

function readAll(chunks: readonly Buffer[], maxLineBytes: number): { lines: string[]; overflows: LongLine[] } {
  const lines: string[] = [];
  const overflows: LongLine[] = [];
  const read = createLineReader({
    maxLineBytes,
    onLine: (line) => lines.push(line),
    onOverflow: (line) => overflows.push(line),
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
  it('gives the same lines for any chunk boundaries as splitting the whole text', () => {
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

  it('skips a line that is too long, and reads on', () => {
    const long = `a${'x'.repeat(50)}z`;
    const read = readAll(cut(Buffer.from(`short\n${long}\nnext\n`), [8, 8, 8, 8]), 20);
    expect(read).toEqual({
      lines: ['short', 'next'],
      overflows: [{ bytes: 52, head: expect.stringMatching(/^ax/), tail: long }],
    });
  });

  it('keeps the same ends of a too long line for any chunk boundaries', () => {
    const line = `${'a'.repeat(300)}${'b'.repeat(300)}`;
    const bytes = Buffer.from(`${line}\n`);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 250 })), (sizes) => {
        const [long] = readAll(cut(bytes, sizes), 400).overflows;
        expect(long).toEqual({ bytes: 600, head: 'a'.repeat(200), tail: 'b'.repeat(200) });
      }),
    );
  });
});
