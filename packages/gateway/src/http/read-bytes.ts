import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { allocateBodyMemory, freeChunk, releaseBodyMemory } from './body-memory.ts';

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
