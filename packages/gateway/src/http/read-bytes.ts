import type { IncomingMessage } from 'node:http';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { ApiError } from './api-error.ts';

/** A request's body, decompressed, or a refusal as soon as it is larger than allowed: nothing beyond the limit is kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get('content-encoding');
  const incoming = length !== null && encoding === null ? untouchedIncomingOf(request) : undefined;
  if (incoming !== undefined) {
    return readIncoming(incoming, Number(length)).catch((error: unknown) => {
      throw unreadable(error);
    });
  }
  if (request.bodyUsed) throw unreadable(new Error('It was read before'));
  if (request.body === null) return Buffer.alloc(0);
  const reader = decoded(request.body, encoding).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error instanceof ApiError ? error : unreadable(error);
  }
  return Buffer.concat(chunks, size);
}

/**
 * Straight into its memory, which goes back as soon as the body can't be read to its end. Node's parser sees to it that no more
 * comes than was declared.
 */
function readIncoming(incoming: IncomingMessage, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(new Error('The connection was closed'));
    let bytes: Buffer | undefined;
    let size = 0;
    // Memory that was given back may have another owner already, and what was handed over is for its reader to give back.
    let isOver = false;
    const fail = (error: Error): void => {
      if (isOver) return;
      isOver = true;
      if (bytes !== undefined) releaseBodyMemory(bytes);
      reject(error);
    };
    incoming.on('data', (chunk: Buffer) => {
      if (isOver) return;
      // Not before something has come: a declared length alone should cost nothing.
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
  return new ApiError(413, `The request is larger than ${maxBytes} bytes`, { headers: { connection: 'close' } });
}

const incoming = new WeakMap<Request, IncomingMessage>();

/** Remembers what a request was made of, where it came over Node's HTTP: its body can then be read without a copy in between. */
export function noteIncoming(request: Request, message: IncomingMessage): void {
  incoming.set(request, message);
}

/**
 * What a request was made of, if nothing else has begun to read it. A clone, a tee or a look at the request's body takes the
 * connection's bytes, and they are then to be had from the request alone.
 */
function untouchedIncomingOf(request: Request): IncomingMessage | undefined {
  const message = incoming.get(request);
  return message?.readableFlowing === null && !message.readableDidRead ? message : undefined;
}

/** From this size on a body's memory is shared and used again: below it, both would cost more than they save. */
const LEAST_BYTES = 16 * 1024;

/** Up to this size only: the engine does not count shared memory when it decides whether to look for garbage. */
const MOST_BYTES = 64 * 1024 * 1024;

/** How much waits to be used again, in how many pieces. */
const MOST_FREE_BYTES = 64 * 1024 * 1024;
const MOST_FREE_PIECES = 32;

const free: SharedArrayBuffer[] = [];

/**
 * Memory for a body, unclean. It is shared between threads, so that a worker reads a large one without a copy, and used again:
 * every new piece brings the engine closer to looking for garbage in all that it holds, which takes longer than anything else
 * that is done with a known body.
 */
export function allocateBodyMemory(bytes: number): Buffer {
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafe(bytes);
  const fitting = free.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * 2);
  const [memory = new SharedArrayBuffer(bytes)] = fitting < 0 ? [] : free.splice(fitting, 1);
  return Buffer.from(memory, 0, bytes);
}

/** Takes back the memory of a body that no thread reads any more. The latest is kept, since the next body is most like it. */
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
 * Frees a piece of a body that was copied. Pieces that wait to be collected make the engine look for garbage in all that it holds
 * with every few large bodies, which takes longer than anything else that is done with a known one.
 */
export function freeChunk({ buffer, byteLength }: Buffer): void {
  // Not where it costs more than it saves, nor memory that holds something else as well.
  if (byteLength < LEAST_BYTES || !(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  nowhere.postMessage(undefined, [buffer]);
}

/** A closed port. What is transferred to it belongs to no thread any more, and so its memory is free. */
const nowhere: MessagePort = closedPort();

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
