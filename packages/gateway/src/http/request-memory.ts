import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { ApiError } from './api-error.ts';
import { COMMA, OPEN_ARRAY, OPEN_OBJECT } from './json-scan.ts';
import { valueBytes } from './json-values.ts';

/** The memory of all requests in progress: for their bodies, and for what these become once they are parsed. */
export interface RequestMemory {
  /** How much is in use now. */
  readonly bytes: number;
  open(owner: string): MemoryShare;
}

/** One request's part of it. */
export interface MemoryShare {
  /** Throws 503 if that much is not left, and 413 if the request would never fit. */
  take(bytes: number): void;
  /** The request is over. */
  end(): void;
}

/**
 * A key's requests may take as much as is still free: those of one key alone get half of it, and something is always left for another
 * key.
 */
export function createRequestMemory(maxBytes: number): RequestMemory {
  const owners = new Map<string, number>();
  let total = 0;

  function add(owner: string, bytes: number): void {
    const own = (owners.get(owner) ?? 0) + bytes;
    total += bytes;
    if (own > 0) owners.set(owner, own);
    else owners.delete(owner);
  }

  return {
    get bytes() {
      return total;
    },
    open(owner) {
      let taken = 0;
      let isOver = false;
      return {
        take(bytes) {
          if (isOver) return;
          if (2 * taken + bytes > maxBytes) throw tooMuch(maxBytes);
          if ((owners.get(owner) ?? 0) + bytes > maxBytes - total) throw noneLeft();
          taken += bytes;
          add(owner, bytes);
        },
        end() {
          if (isOver) return;
          isOver = true;
          add(owner, -taken);
        },
      };
    },
  };
}

/** What a body takes beside its bytes, once it is parsed: millions of small values take more than their text. */
export function parsedBytes(body: Buffer): number {
  return estimateValues(body) * VALUE_BYTES;
}

/** Measured with lists of empty objects, each of which counts twice: a bracket and a comma. */
const VALUE_BYTES = 24;

/**
 * About how many values a JSON text has, objects and lists counted twice. Reads a few pieces of a long one, evenly spread from a
 * random place on, so that no text can be arranged around them. Commas and brackets in strings count too.
 */
function estimateValues(bytes: Buffer): number {
  const pieces = Math.min(MOST_PIECES, Math.ceil(bytes.length / PIECE_BYTES));
  const distance = bytes.length / pieces;
  const shift = Math.random() * (distance - Math.min(distance, PIECE_BYTES));
  let count = 0;
  let read = 0;
  for (let piece = 0; piece < pieces; piece += 1) {
    const start = Math.floor(piece * distance + shift);
    const end = Math.min(start + PIECE_BYTES, bytes.length);
    read += end - start;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) count += 1;
    }
  }
  return read === 0 ? 0 : Math.ceil((count * bytes.length) / read);
}

/** Together 8 KiB: some ten microseconds. */
const PIECE_BYTES = 128;
const MOST_PIECES = 64;

/** How much memory a request's stored history takes: a short request can refer to a long one. */
export interface HistoryMeter {
  /** Of all entries that were found through {@link measured}. */
  readonly bytes: number;
  measured(store: TranscriptStore): TranscriptStore;
}

export function createHistoryMeter(): HistoryMeter {
  const known = new Set<Hidden>();
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    measured: (store) => ({
      ...store,
      async find(ids) {
        const found = await store.find(ids);
        for (const hidden of found.values()) {
          if (known.has(hidden)) continue;
          known.add(hidden);
          bytes += valueBytes(hidden);
        }
        return found;
      },
    }),
  };
}

function tooMuch(maxBytes: number): ApiError {
  return new ApiError(
    413,
    `The request takes more than ${Math.floor(maxBytes / 2)} bytes of memory, half of what all requests in progress may have (limits.inProgressBytes)`,
  );
}

function noneLeft(): ApiError {
  return new ApiError(
    503,
    'The requests in progress leave no memory for this one (limits.inProgressBytes); try again when some of them have ended',
    {
      details: { error_code: 'too_much_in_progress' },
      headers: { 'retry-after': '1', 'x-should-retry': 'true' },
    },
  );
}
