import { runToEnd, stepThrough } from '../../slices.ts';

/**
 * An index as one block of bytes: typed arrays as they are in memory, after a header that describes them.
 *
 * ```
 * u32 magic, u32 format version, u32 × 2 checksum of all that follows
 * u32 bytes in all, u32 bytes of the key, u32 number of sections, u32 bytes of each section
 * the key; each section; all of them filled up to a multiple of 8
 * ```
 *
 * Numbers are in the byte order of the machine; a machine with the other order does not find the magic number. Writing yields
 * wherever it may be interrupted, and so does reading.
 */
export function* writeIndexFile(key: string, sections: readonly ArrayBufferView[]): Generator<void, Uint8Array> {
  const keyBytes = new TextEncoder().encode(key);
  const headBytes = padded(HEAD_BYTES + 4 * sections.length);
  const total = sections.reduce((sum, { byteLength }) => sum + padded(byteLength), headBytes + padded(keyBytes.length));
  const bytes = new Uint8Array(total);
  const words = new Uint32Array(bytes.buffer);
  words[0] = MAGIC;
  words[1] = FORMAT_VERSION;
  words[4] = total;
  words[5] = keyBytes.length;
  words[6] = sections.length;
  bytes.set(keyBytes, headBytes);
  let at = headBytes + padded(keyBytes.length);
  for (const [number, { buffer, byteOffset, byteLength }] of sections.entries()) {
    words[HEAD_WORDS + number] = byteLength;
    const section = new Uint8Array(buffer, byteOffset, byteLength);
    const start = at;
    yield* stepThrough(byteLength, (first) => {
      const end = Math.min(first + 4 * STEP_WORDS, byteLength);
      bytes.set(section.subarray(first, end), start + first);
      return end;
    });
    at += padded(byteLength);
  }
  const sums = yield* sumWords(words);
  words[2] = sums[0];
  words[3] = sums[1];
  return bytes;
}

/** Tells some sections from others: the checksum of a file with them. */
export function fingerprint(sections: readonly ArrayBufferView[]): string {
  const file = runToEnd(writeIndexFile('', sections));
  return [...new Uint32Array(file.buffer, 8, 2)].map((sum) => sum.toString(16).padStart(8, '0')).join('');
}

/** The sections of a file, or undefined unless it is a complete, unchanged file of this key. Yields wherever it may be interrupted. */
export function* readIndexFile(
  given: Uint8Array,
  key: string,
): Generator<void, readonly Uint8Array<ArrayBuffer>[] | undefined> {
  if (given.length < HEAD_BYTES || given.length % 8 !== 0) return undefined;
  const bytes = aligned(given);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const [magic, version, , , total, keyLength = 0, count = 0] = words;
  if (magic !== MAGIC || version !== FORMAT_VERSION || total !== bytes.length || count > MOST_SECTIONS)
    return undefined;
  const sums = yield* sumWords(words);
  if (words[2] !== sums[0] >>> 0 || words[3] !== sums[1] >>> 0) return undefined;
  let at = padded(HEAD_BYTES + 4 * count);
  if (at + keyLength > bytes.length) return undefined;
  if (new TextDecoder().decode(bytes.subarray(at, at + keyLength)) !== key) return undefined;
  at += padded(keyLength);
  const sections: Uint8Array<ArrayBuffer>[] = [];
  for (let number = 0; number < count; number += 1) {
    const length = words[HEAD_WORDS + number] ?? 0;
    if (at + length > bytes.length) return undefined;
    sections.push(bytes.subarray(at, at + length));
    at += padded(length);
  }
  return at === bytes.length ? sections : undefined;
}

const HEAD_WORDS = 7;
const HEAD_BYTES = HEAD_WORDS * 4;
/** Before it are the magic number, the version and the sums themselves. */
const SUMMED_FROM = 4;
/** `QMIX` */
const MAGIC = 0x58494d51;
const FORMAT_VERSION = 1;
const MOST_SECTIONS = 64;
const STEP_WORDS = 1 << 16;

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** Arrays of 8-byte entries have to be aligned; a file may come from the middle of a shared buffer. */
function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && byteOffset % 8 === 0;
  return isOwn ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes);
}

const SEEDS: readonly [number, number] = [0x9e3779b1 | 0, 0x85ebca6b | 0];

function* sumWords(words: Uint32Array): Generator<void, readonly [number, number]> {
  const sums: [number, number] = [...SEEDS];
  yield* stepThrough(words.length, (first) => {
    const end = Math.min(first + STEP_WORDS, words.length);
    addWords(sums, words, Math.max(first, SUMMED_FROM), end);
    return end;
  });
  return sums;
}

/** Each step is reversible, so that one changed word always changes both sums. */
function addWords(sums: [number, number], words: Uint32Array, from: number, to: number): void {
  let [first, second] = sums;
  for (let at = from; at < to; at += 1) {
    const word = words[at] as number;
    first = Math.imul(first ^ word, 0x01000193);
    first ^= first >>> 15;
    second = (Math.imul(second, 0xc2b2ae35) + word) | 0;
    second = (second << 13) | (second >>> 19);
  }
  sums[0] = first;
  sums[1] = second;
}
