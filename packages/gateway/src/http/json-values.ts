import { ApiError } from './api-error.ts';
import { BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-scan.ts';

/** How many values of a large body may be read on the main thread: some 0.2 s. The definitions of ten thousand tools have half as many. */
const MOST_VALUES = 1_000_000;

/** Throws 400 for a JSON text that would hold up everyone else. Counted without parsing: a text that is no JSON is counted all the same. */
export function refuseManyValues(bytes: Buffer, where: string): void {
  if (countValues(bytes) > MOST_VALUES) throw tooMany(where);
}

/** The same for a value that was parsed on another thread, and will be read on this one. */
export function refuseManyParsed(value: object, where: string): void {
  if (hasMoreValues(value, MOST_VALUES)) throw tooMany(where);
}

function tooMany(where: string): ApiError {
  const most = MOST_VALUES.toLocaleString('en');
  return new ApiError(
    400,
    `${where} may have at most ${most} JSON values; send fewer messages, or define fewer tools in it`,
  );
}

/** Whether there are more values than that within a value. Not recursive: it may be nested deeper than the stack. */
export function hasMoreValues(value: object, limit: number): boolean {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next);
    count += values.length;
    if (count > limit) return true;
    for (const inner of values) open.push(inner);
  }
  return false;
}

function countValues(bytes: Buffer): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) count += 1;
  }
  return count;
}

/** About how much memory a parsed value takes. */
export function valueBytes(value: object): number {
  const open: unknown[] = [value];
  let bytes = 0;
  while (open.length > 0) {
    const next = open.pop();
    bytes += BYTES_OF_VALUE;
    if (typeof next === 'string') bytes += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next)) open.push(inner);
  }
  return bytes;
}

/** Measured with lists of empty objects. */
const BYTES_OF_VALUE = 40;
