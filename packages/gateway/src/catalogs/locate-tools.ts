const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

const KEY = Buffer.from('tools"');

/**
 * Where the value of a request's top-level `tools` begins, if it is an array: the place of its bracket. Only what stands before
 * it is read. The text need not be JSON; what is found in text that is not proves nothing, and parsing the rest will say so.
 */
export function locateTools(bytes: Buffer): number | undefined {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  at += 1;
  let depth = 1;
  while (at < bytes.length && depth > 0) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      const value = depth === 1 ? valueOfKey(bytes, at + 1, end) : undefined;
      if (value !== undefined) return bytes[value] === OPEN_ARRAY ? value : undefined;
      at = end;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    at += 1;
  }
  return undefined;
}

/** An array in a text, from its bracket on. */
export interface LocatedArray {
  /** The place after the bracket that closes it. */
  readonly end: number;
  /** About how much memory its values take once they are parsed: a text of empty lists takes twenty times its own length. */
  readonly valueBytes: number;
}

/** The array whose bracket is at `start`; undefined when nothing closes it. */
export function measureArray(bytes: Buffer, start: number): LocatedArray | undefined {
  let depth = 0;
  let valueBytes = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      valueBytes += end - at;
      at = end;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      valueBytes += CONTAINER_BYTES;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    else if (byte === COLON) valueBytes += PROPERTY_BYTES;
    else if (byte === COMMA) valueBytes += ITEM_BYTES;
    at += 1;
    if (depth === 0) return { end: at, valueBytes };
  }
  return undefined;
}

/** What V8 takes, measured on lists of empty and of small objects, of keys that never repeat, and of short strings and numbers. */
const CONTAINER_BYTES = 80;
const PROPERTY_BYTES = 64;
const ITEM_BYTES = 24;

/** Where the value begins, if the string that begins at `from` and ends before `end` is the key. */
function valueOfKey(bytes: Buffer, from: number, end: number): number | undefined {
  if (end - from !== KEY.length || bytes.compare(KEY, 0, KEY.length, from, end) !== 0) return undefined;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : undefined;
}

/** The place after the closing quote. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return bytes.length;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
  return at;
}
