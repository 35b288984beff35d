import { createHash, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@quartermaster/core';
import { ApiError } from '../http/index.ts';
import { ByteCache } from './byte-cache.ts';
import { endOfArray, locateTools } from './locate-tools.ts';

/** A request's body, and which tools it has. */
export interface ReadBody {
  readonly value: JsonObject;
  /** SHA-256 of the text of `tools`; undefined where it has none, or none that could be told apart by its text. */
  readonly toolsKey?: string;
  /** How long that text is. */
  readonly toolsBytes: number;
}

export interface BodyReader {
  read(bytes: Buffer): ReadBody;
  /** How often an array of tools was recognised, and how often not. */
  readonly counts: { readonly hits: number; readonly misses: number };
}

interface KnownTools {
  readonly key: string;
  /** The text of the array, to recognise it by: comparing is much faster than hashing or parsing it. */
  readonly raw: Buffer;
  /** The array as parsed. Shared between requests, which never change what they are given. */
  readonly tools: unknown;
}

/**
 * Parses bodies. Clients send the same tools with every request, which may be megabytes: an array that is known by its bytes is
 * not parsed again, and the request gets the array of before.
 */
export function createBodyReader(options: { readonly cacheBytes: number }): BodyReader {
  const known = new ByteCache<KnownTools>(options.cacheBytes * DEFINITIONS_SHARE);
  const counts = { hits: 0, misses: 0 };
  return {
    counts,
    read(bytes) {
      const start = locateTools(bytes);
      if (start === undefined) return { value: parseObject(bytes.toString('utf8')), toolsBytes: 0 };
      const same = known.values().find((one) => isAt(bytes, start, one.raw));
      const value = same === undefined ? undefined : parseAround(bytes, start, same);
      if (same !== undefined && value !== undefined) {
        counts.hits += 1;
        known.get(same.key);
        return { value, toolsKey: same.key, toolsBytes: same.raw.length };
      }
      counts.misses += 1;
      return readUnknown(bytes, start, known);
    },
  };
}

/** In two pieces, so that nothing is parsed twice. Where they don't fit together the whole text decides, and says what is wrong. */
function readUnknown(bytes: Buffer, start: number, known: ByteCache<KnownTools>): ReadBody {
  const end = endOfArray(bytes, start);
  const pieces = end === undefined ? undefined : parsePieces(bytes, { start, end });
  if (pieces === undefined) return { value: parseObject(bytes.toString('utf8')), toolsBytes: 0 };
  const raw = Buffer.from(bytes.subarray(start, end));
  const key = createHash('sha256').update(raw).digest('hex');
  known.set(key, { key, raw, tools: pieces.tools }, raw.length * BYTES_PER_BYTE);
  return { value: pieces.value, toolsKey: key, toolsBytes: raw.length };
}

/** The rest of the memory is for what is made of the definitions. */
const DEFINITIONS_SHARE = 5 / 8;

/** The text, and about four times as much for the values that it describes. */
const BYTES_PER_BYTE = 5;

function isAt(bytes: Buffer, start: number, raw: Buffer): boolean {
  const end = start + raw.length;
  return end <= bytes.length && bytes.compare(raw, 0, raw.length, start, end) === 0;
}

/** Stands for the array while the rest is parsed: no client can have written it. */
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

/** Undefined where the key is written twice: then the text found is not the value that counts. */
function withTools(bytes: Buffer, slice: Slice, tools: unknown): JsonObject | undefined {
  const value = parseObject(textAround(bytes, slice));
  return value.tools === PLACE ? ({ ...value, tools } as JsonObject) : undefined;
}

function textAround(bytes: Buffer, { start, end }: Slice): string {
  return `${bytes.toString('utf8', 0, start)}"${PLACE}"${bytes.toString('utf8', end)}`;
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text, which must not reach a log.
    throw new ApiError(400, 'The request body is not valid JSON', { cause: new Error(nameOf(error)) });
  }
  if (isJsonObject(value)) return value;
  throw new ApiError(400, 'The request body is not a JSON object');
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
