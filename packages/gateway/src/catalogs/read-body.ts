import { createHash, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { ApiError, parseJson } from '../http/index.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../http/json-scan.ts';
import { ByteCache, type MemoryBudget } from './memory-budget.ts';

/** A request's body, and its tools. */
export interface ReadBody {
  readonly value: JsonObject;
  /** SHA-256 of the text of `tools`; undefined if there is none, or none that its text identifies. */
  readonly toolsKey?: string;
  /** The length of that text. */
  readonly toolsBytes: number;
}

export interface BodyReader {
  /** @param owner whose body it is, for its share of the memory. @default '' */
  read(bytes: Buffer, owner?: string): ReadBody;
  /** How often an array of tools was recognized, and how often not. */
  readonly counts: { readonly hits: number; readonly misses: number };
}

interface KnownTools {
  readonly key: string;
  /** The text of the array, to recognize it by: comparing is much faster than hashing or parsing. */
  readonly raw: Buffer;
  /** The parsed array. Shared between requests, which never change it. */
  readonly tools: unknown;
}

/**
 * Parses bodies. Clients send the same tools with every request, which may be megabytes: an array that is recognized by its bytes is
 * not parsed again, and the request gets the earlier one.
 */
export function createBodyReader({ memory }: { readonly memory: MemoryBudget }): BodyReader {
  const caches: Caches = { short: new ByteCache<KnownTools>(memory), long: new ByteCache<KnownTools>(memory) };
  const counts = { hits: 0, misses: 0 };
  const recent = recentTools(caches.short);
  return {
    counts,
    read(bytes, owner = '') {
      const start = locateTools(bytes);
      if (start === undefined) return { value: parseObject(bytes.toString('utf8')), toolsBytes: 0 };
      const latest = recent.find(bytes, start);
      const short = latest === undefined ? hashShort(bytes, start) : undefined;
      const same =
        latest ??
        (short === undefined
          ? caches.long.values().find((one) => isAt(bytes, start, one.raw))
          : caches.short.get(short.key));
      if (short !== undefined) recent.note(short.key);
      const value = same === undefined ? undefined : parseAround(bytes, start, same);
      if (same !== undefined && value !== undefined) {
        counts.hits += 1;
        caches.long.get(same.key);
        return { value, toolsKey: same.key, toolsBytes: same.raw.length };
      }
      counts.misses += 1;
      return readUnknown(bytes, { start, short, owner }, caches);
    },
  };
}

/** A body made here. Its tools are identified by their text, so that equal ones are not indexed again. */
export function readKnownBody(value: JsonObject): ReadBody {
  if (!Array.isArray(value.tools)) return { value, toolsBytes: 0 };
  const raw = Buffer.from(JSON.stringify(value.tools));
  return { value, toolsKey: hashOf(raw), toolsBytes: raw.length };
}

/** How many short texts are compared before one is hashed. */
const MOST_RECENT = 16;

/**
 * The short texts of the latest requests. Comparing with them costs a fraction of finding the end of a text and hashing it, and
 * most clients send what they sent before.
 */
function recentTools(known: ByteCache<KnownTools>): {
  find(bytes: Buffer, start: number): KnownTools | undefined;
  note(key: string): void;
} {
  const keys: string[] = [];
  return {
    find(bytes, start) {
      for (const [at, key] of keys.entries()) {
        const tools = known.peek(key);
        if (tools === undefined || !isAt(bytes, start, tools.raw)) continue;
        if (at > 0) keys.unshift(...keys.splice(at, 1));
        return known.get(key);
      }
      return undefined;
    },
    note(key) {
      const at = keys.indexOf(key);
      if (at >= 0) keys.splice(at, 1);
      keys.unshift(key);
      keys.length = Math.min(keys.length, MOST_RECENT);
    },
  };
}

interface Caches {
  /** By the hash of their text: there may be many thousands. */
  readonly short: ByteCache<KnownTools>;
  /** Compared one after the other. */
  readonly long: ByteCache<KnownTools>;
}

/** Longer texts are recognized faster by comparison than by finding their end. */
const LONGEST_SHORT = 128 * 1024;

interface ShortTools {
  readonly key: string;
  readonly located: LocatedArray;
}

function hashShort(bytes: Buffer, start: number): ShortTools | undefined {
  const located = measureArray(bytes.subarray(0, start + LONGEST_SHORT), start);
  return located === undefined ? undefined : { located, key: hashOf(bytes.subarray(start, located.end)) };
}

function hashOf(raw: Buffer): string {
  return createHash('sha256').update(raw).digest('hex');
}

/** In two pieces, so that nothing is parsed twice. If they don't fit together, parsing the whole text reports what is wrong. */
function readUnknown(
  bytes: Buffer,
  { start, short, owner }: { readonly start: number; readonly short: ShortTools | undefined; readonly owner: string },
  caches: Caches,
): ReadBody {
  const located = short?.located ?? measureArray(bytes, start);
  const pieces = located === undefined ? undefined : parsePieces(bytes, { start, end: located.end });
  if (located === undefined || pieces === undefined) {
    return { value: parseObject(bytes.toString('utf8')), toolsBytes: 0 };
  }
  // A copy: a piece of a pool would keep the whole pool alive.
  const raw = Buffer.from(new Uint8Array(bytes.subarray(start, located.end)).buffer);
  const key = short?.key ?? hashOf(raw);
  const cache = short === undefined ? caches.long : caches.short;
  // A short text counts twice: upstreams keep the text they send. Long ones are sent from another thread, copied each time.
  const textBytes = short === undefined ? raw.length : 2 * raw.length;
  cache.set(key, { key, raw, tools: pieces.tools }, { bytes: textBytes + located.valueBytes + ENTRY_BYTES, owner });
  return { value: pieces.value, toolsKey: key, toolsBytes: raw.length };
}

/** The size of an entry besides its text and values. */
const ENTRY_BYTES = 1024;

function isAt(bytes: Buffer, start: number, raw: Buffer): boolean {
  const end = start + raw.length;
  return end <= bytes.length && bytes.compare(raw, 0, raw.length, start, end) === 0;
}

/** Replaces the array while the rest is parsed: no client can have written it. */
const PLACE = randomUUID();

function parseAround(bytes: Buffer, start: number, same: KnownTools): JsonObject | undefined {
  return withTools(bytes, { start, end: start + same.raw.length }, same.tools);
}

interface Slice {
  readonly start: number;
  readonly end: number;
}

function parsePieces(bytes: Buffer, slice: Slice): { value: JsonObject; tools: unknown } | undefined {
  try {
    const tools: unknown = JSON.parse(bytes.toString('utf8', slice.start, slice.end));
    const value = withTools(bytes, slice, tools);
    return value === undefined ? undefined : { value, tools };
  } catch {
    return undefined;
  }
}

/** Undefined if the key occurs twice: the text that was found may not be the value that counts. */
function withTools(bytes: Buffer, slice: Slice, tools: unknown): JsonObject | undefined {
  const value = parseObject(textAround(bytes, slice));
  return value.tools === PLACE ? ({ ...value, tools } as JsonObject) : undefined;
}

function textAround(bytes: Buffer, { start, end }: Slice): string {
  return `${bytes.toString('utf8', 0, start)}"${PLACE}"${bytes.toString('utf8', end)}`;
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new ApiError(400, 'The request body is not a JSON object');
}

const KEY = Buffer.from('tools"');

/**
 * Where the value of a request's top-level `tools` begins, if it is an array: the position of its bracket. Reads only what comes
 * before it. The text need not be JSON; a match in other text proves nothing, and parsing the rest reports it.
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
interface LocatedArray {
  /** The position after its closing bracket. */
  readonly end: number;
  /** About how much memory its parsed values take: a text of empty lists takes twenty times its own length. */
  readonly valueBytes: number;
}

/** The array whose bracket is at `start`; undefined if it is not closed. */
function measureArray(bytes: Buffer, start: number): LocatedArray | undefined {
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

/** The memory that V8 uses, measured on lists of empty and small objects, of unique keys, and of short strings and numbers. */
const CONTAINER_BYTES = 80;

const PROPERTY_BYTES = 64;

const ITEM_BYTES = 24;

/** Where the value begins, if the string from `from` to before `end` is the key. */
function valueOfKey(bytes: Buffer, from: number, end: number): number | undefined {
  if (end - from !== KEY.length || bytes.compare(KEY, 0, KEY.length, from, end) !== 0) return undefined;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : undefined;
}

/** The position after the closing quote. */
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
