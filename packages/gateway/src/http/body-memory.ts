import { MessageChannel, type MessagePort } from 'node:worker_threads';

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
