import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { at, InputError } from '../input-error.ts';

/** How much is read. Larger input is refused while it streams, so that neither a long line nor a gzip bomb fills the memory. */
export interface ReadLimits {
  /** Bytes of a file, after decompression. @default 268_435_456 (256 MiB) */
  readonly fileBytes: number;
  /** Bytes of a line, and of a JSON document that spans several lines. @default 67_108_864 (64 MiB) */
  readonly recordBytes: number;
}

export const READ_LIMITS: ReadLimits = { fileBytes: 256 * 1024 * 1024, recordBytes: 64 * 1024 * 1024 };

/** One line that is not blank, with its number from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a stream of bytes, plain or gzip (detected from its first bytes, not its name). Blank lines are left out. */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  limits: ReadLimits = READ_LIMITS,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: Uint8Array[] = [];
  let lineBytes = 0;
  let number = 1;
  const finishLine = (): Line | undefined => {
    const text = decodeLine(decoder, pieces, at(file, number));
    pieces.length = 0;
    lineBytes = 0;
    return text.trim() === '' ? undefined : { number, text };
  };
  for await (const chunk of bounded(decompress(bytes, file), file, limits)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lineBytes += end - start;
      checkLine(lineBytes, at(file, number), limits);
      pieces.push(chunk.subarray(start, end));
      const line = finishLine();
      if (line !== undefined) yield line;
      number += 1;
      start = end + 1;
      // A file of nothing but line feeds is skipped, not read line by line.
      for (; chunk[start] === NEWLINE; start += 1) number += 1;
    }
    lineBytes += chunk.length - start;
    checkLine(lineBytes, at(file, number), limits);
    pieces.push(chunk.subarray(start));
  }
  const last = finishLine();
  if (last !== undefined) yield last;
}

/** A size for people. */
export function megabytes(bytes: number): string {
  return `${Math.round((bytes / (1024 * 1024)) * 10) / 10} MiB`;
}

function checkLine(lineBytes: number, place: string, limits: ReadLimits): void {
  if (lineBytes <= limits.recordBytes) return;
  throw new InputError(`${place}: the line is longer than ${megabytes(limits.recordBytes)}, the limit`);
}

function decodeLine(decoder: TextDecoder, pieces: readonly Uint8Array[], place: string): string {
  try {
    return decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
  } catch {
    throw new InputError(`${place}: the line is not UTF-8 text`);
  }
}

async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  limits: ReadLimits,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > limits.fileBytes) {
      throw new InputError(
        `${file}: the content is larger than ${megabytes(limits.fileBytes)}, the limit for one file`,
      );
    }
    yield chunk;
  }
}

async function* decompress(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const whole = resume(head, iterator);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const source = Readable.from(whole);
  const gunzip = createGunzip();
  // The callback catches the streams' errors; iterating `gunzip` throws them where they can be named.
  pipeline(source, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    throw new InputError(`${file}: the gzip data is broken (${reason(error)})`, { cause: error });
  } finally {
    source.destroy();
  }
}

async function* resume(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const NEWLINE = 0x0a;
