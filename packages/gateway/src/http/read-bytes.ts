import type { IncomingMessage } from 'node:http';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Json } from '@quartermaster/core/catalog';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { ApiError } from './api-error.ts';
import { COMMA, OPEN_ARRAY, OPEN_OBJECT } from './json-scan.ts';
import { valueBytes } from './json-values.ts';

/** A request whose body is to be read, and where its memory is counted. */
export interface ReadableRequest {
  readonly request: Request;
  readonly memory: MemoryShare;
}

/** A request's body, decompressed, or an error as soon as it exceeds a limit: nothing beyond the limit is kept. */
export async function readBytes({ request, memory }: ReadableRequest, maxBytes: number): Promise<Buffer> {
  const bytes = await readWithin({ request, memory }, maxBytes);
  try {
    memory.take(parsedBytes(bytes));
  } catch (error) {
    releaseBodyMemory(bytes);
    throw error;
  }
  return bytes;
}

async function readWithin({ request, memory }: ReadableRequest, maxBytes: number): Promise<Buffer> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get('content-encoding');
  const incoming = length !== null && encoding === null ? untouchedIncomingOf(request) : undefined;
  if (incoming !== undefined) {
    return readIncoming(incoming, Number(length), memory).catch((error: unknown) => {
      throw error instanceof ApiError ? error : unreadable(error);
    });
  }
  if (request.bodyUsed) throw unreadable(new Error('It was read before'));
  const { body } = request;
  if (body === null) return Buffer.alloc(0);
  const unpacked = decoded(body, encoding);
  const reader = unpacked.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      memory.take(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error instanceof ApiError ? error : unreadable(error);
  }
  const bytes = allocateBodyMemory(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
    // What was unpacked here is in memory only once. Any other piece is also the caller's, and that of a clone of the request.
    if (unpacked !== body) freeChunk(chunk);
  }
  return bytes;
}

/**
 * Straight into its memory, which is given back as soon as the body can't be read to its end. Node's parser guarantees that no more
 * arrives than was declared.
 */
function readIncoming(incoming: IncomingMessage, length: number, memory: MemoryShare): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(new Error('The connection was closed'));
    let bytes: Buffer | undefined;
    let size = 0;
    // Memory that was given back may already have another owner, and a body that was handed over is given back by its reader.
    let isOver = false;
    const fail = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      if (bytes !== undefined) releaseBodyMemory(bytes);
      reject(error);
    };
    incoming.on('data', (chunk: Buffer) => {
      if (isOver) return;
      try {
        memory.take(chunk.length);
      } catch (error) {
        return fail(error);
      }
      // Only once something has arrived: a declared length alone should cost nothing.
      bytes ??= allocateBodyMemory(length);
      size += chunk.copy(bytes, size);
      freeChunk(chunk);
    });
    incoming.once('end', () => {
      isOver = true;
      resolve(bytes === undefined ? Buffer.alloc(0) : bytes.subarray(0, size));
    });
    incoming.once('error', fail);
    incoming.once('close', () => fail(new Error('The connection was closed')));
  });
}

/** The value in a request's body, or in a part of it. */
export function parseJson(text: Buffer | string): Json {
  try {
    return JSON.parse(text.toString('utf8')) as Json;
  } catch {
    // The engine's message quotes the text, which must not reach a log.
    throw new ApiError(400, 'The request body is not valid JSON');
  }
}

function unreadable(cause: unknown): ApiError {
  return new ApiError(400, 'The request body could not be read to its end', { cause });
}

function decoded(body: ReadableStream<Uint8Array>, encoding: string | null): ReadableStream<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'deflate') {
    throw new ApiError(415, `Content-Encoding "${name.slice(0, 40)}" is not supported; send gzip, deflate or none`);
  }
  return body.pipeThrough(new DecompressionStream(name) as ReadableWritablePair<Uint8Array, Uint8Array>);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `The request is larger than ${maxBytes} bytes`);
}

const incoming = new WeakMap<Request, IncomingMessage>();

/** Remembers the Node request behind a `Request`: its body can then be read without a copy in between. */
export function noteIncoming(request: Request, message: IncomingMessage): void {
  incoming.set(request, message);
}

/**
 * The Node request behind a `Request`, if nothing else has begun to read it. A clone, a tee or a look at the request's body takes the
 * connection's bytes, which then have to be read from the `Request`.
 */
function untouchedIncomingOf(request: Request): IncomingMessage | undefined {
  const message = incoming.get(request);
  return message?.readableFlowing === null && !message.readableDidRead ? message : undefined;
}

/** From this size on a body's memory is shared and reused: below it, both would cost more than they save. */
const LEAST_BYTES = 16 * 1024;

/** Only up to this size: the engine does not count shared memory when it decides whether to collect garbage. */
const MOST_BYTES = 64 * 1024 * 1024;

/** How much memory waits to be reused, in how many pieces. */
const MOST_FREE_BYTES = 64 * 1024 * 1024;
const MOST_FREE_PIECES = 32;

const free: SharedArrayBuffer[] = [];

/**
 * Uninitialized memory for a body. It is shared between threads, so that a worker reads a large one without a copy, and reused:
 * every new piece brings the engine closer to a full garbage collection, which takes longer than anything else
 * that is done with a known body.
 */
export function allocateBodyMemory(bytes: number): Buffer {
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafe(bytes);
  const fitting = free.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * 2);
  const [memory = new SharedArrayBuffer(bytes)] = fitting < 0 ? [] : free.splice(fitting, 1);
  return Buffer.from(memory, 0, bytes);
}

/** Takes back the memory of a body that no thread reads any more. The latest is kept, because the next body is most like it. */
export function releaseBodyMemory({ buffer }: Buffer): void {
  if (!(buffer instanceof SharedArrayBuffer) || free.includes(buffer)) return;
  free.unshift(buffer);
  let bytes = 0;
  const kept = free.findIndex(({ byteLength }, index) => {
    bytes += byteLength;
    return bytes > MOST_FREE_BYTES || index >= MOST_FREE_PIECES;
  });
  if (kept >= 0) free.length = kept;
}

/**
 * Frees a piece of a body that was copied. Pieces that wait to be collected cause a full garbage collection with every few
 * large bodies, which takes longer than anything else that is done with a known one.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  // Not if it costs more than it saves, nor for memory that contains something else as well.
  if (byteLength < LEAST_BYTES || !(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  nowhere.postMessage(undefined, [buffer]);
}

/** A closed port. Memory transferred to it belongs to no thread, and so is freed. */
const nowhere: MessagePort = closedPort();

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}

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
    // Not spread: the methods of a class are none of its object's fields.
    measured: (store) => ({
      keep: (...given) => store.keep(...given),
      forget: (...given) => store.forget(...given),
      replace: (...given) => store.replace(...given),
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
