/**
 * Gives out columns of zeros, one number for each tool, from one buffer: a buffer costs several times as much to allocate as a
 * view of one, and a request has dozens of columns.
 */
export class Columns {
  readonly #length: number;
  readonly #buffer: ArrayBuffer;
  #used = 0;

  /** @param count how many columns there will be; what is asked for beyond has a buffer of its own */
  constructor(count: number, length: number) {
    this.#length = length;
    this.#buffer = new ArrayBuffer(count * length * Float64Array.BYTES_PER_ELEMENT);
  }

  next(): Float64Array {
    const start = this.#used;
    const end = start + this.#length * Float64Array.BYTES_PER_ELEMENT;
    if (end > this.#buffer.byteLength) return new Float64Array(this.#length);
    this.#used = end;
    return new Float64Array(this.#buffer, start, this.#length);
  }
}
