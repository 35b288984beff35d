/** A copy with room for at least `size` values, and for twice as many as before. */
export function growUint32(array: Uint32Array, size: number): Uint32Array {
  const grown = new Uint32Array(Math.max(size, array.length * 2));
  grown.set(array);
  return grown;
}

/** {@link growUint32} for bytes. */
export function growUint8(array: Uint8Array, size: number): Uint8Array {
  const grown = new Uint8Array(Math.max(size, array.length * 2));
  grown.set(array);
  return grown;
}
