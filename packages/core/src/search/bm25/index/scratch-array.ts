/**
 * Memory that is only needed while an index is built.
 *
 * V8 collects the whole heap's garbage for every 64 MB of array buffers that are created, and with the heap of 100,000
 * tools that takes a fifth of the time of building their index. Shared buffers don't count for that; they are freed with
 * all other garbage. What an index keeps must not be one of these: a shared buffer can't be moved to another thread, and V8
 * should know of lasting memory. Where they don't exist (a browser without cross-origin isolation), plain buffers are used.
 */
export function scratchBuffer(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

/** Zeros, as with all of these. */
export function scratchUint8(size: number): Uint8Array {
  return new Uint8Array(scratchBuffer(size));
}

export function scratchUint16(size: number): Uint16Array {
  return new Uint16Array(scratchBuffer(size * 2));
}

export function scratchUint32(size: number): Uint32Array {
  return new Uint32Array(scratchBuffer(size * 4));
}

export function scratchInt32(size: number): Int32Array {
  return new Int32Array(scratchBuffer(size * 4));
}

/** A copy with room for at least `size` values, and for twice as many as before. */
export function growUint32(array: Uint32Array, size: number): Uint32Array {
  const grown = scratchUint32(Math.max(size, array.length * 2));
  grown.set(array);
  return grown;
}

/** {@link growUint32} for bytes. */
export function growUint8(array: Uint8Array, size: number): Uint8Array {
  const grown = scratchUint8(Math.max(size, array.length * 2));
  grown.set(array);
  return grown;
}
