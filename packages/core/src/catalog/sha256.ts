/**
 * SHA-256 (FIPS 180-4) of a sequence of texts, as if they were one, in lower-case hexadecimal. Synchronous and without
 * a platform API, so that a snapshot can be hashed anywhere. Texts are read as UTF-8, a lone surrogate as U+FFFD.
 */
export function sha256(chunks: Iterable<string>): string {
  const work = spare ?? createWork();
  // Taken, so that chunks which are themselves made with hashes don't write into this one.
  spare = undefined;
  work.state.set(INITIAL);
  let used = 0;
  let total = 0;
  for (const chunk of chunks) {
    let rest = chunk;
    while (rest !== '') {
      const { read, written } = ENCODER.encodeInto(rest, used === 0 ? work.buffer : work.buffer.subarray(used));
      used += written;
      total += written;
      rest = read === rest.length ? '' : rest.slice(read);
      // Too little room for the next character also counts as full: what remains moves to the front.
      if (rest !== '' || used === BUFFER_BYTES) used = compressWhole(work, used);
    }
  }
  finish(work, used, total);
  let hex = '';
  for (const word of work.state) hex += (word >>> 0).toString(16).padStart(8, '0');
  spare = work;
  return hex;
}

/** The memory of one computation. */
interface Work {
  readonly state: Int32Array;
  readonly buffer: Uint8Array;
  readonly view: DataView;
  readonly schedule: Int32Array;
}

/** Kept from one call to the next: for a short text, creating it costs more than hashing. */
let spare: Work | undefined;

function createWork(): Work {
  const buffer = new Uint8Array(BUFFER_BYTES);
  return { state: new Int32Array(8), buffer, view: new DataView(buffer.buffer), schedule: new Int32Array(64) };
}

/** Compresses all whole blocks and moves the rest to the front of the buffer; returns how many bytes that is. */
function compressWhole({ state, buffer, schedule }: Work, used: number): number {
  const whole = used - (used % BLOCK_BYTES);
  for (let offset = 0; offset < whole; offset += BLOCK_BYTES) compress(state, buffer, offset, schedule);
  buffer.copyWithin(0, whole, used);
  return used - whole;
}

/** Pads with a one bit, zeros and the length in bits as a 64-bit number, and compresses what is left. */
function finish(work: Work, used: number, total: number): void {
  const { buffer, view } = work;
  const left = compressWhole(work, used);
  const end = left + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  buffer.fill(0, left, end);
  buffer[left] = 0x80;
  view.setUint32(end - 8, Math.floor(total / 0x2000_0000));
  view.setUint32(end - 4, (total << 3) >>> 0);
  compressWhole(work, end);
}

function compress(state: Int32Array, bytes: Uint8Array, offset: number, w: Int32Array): void {
  for (let i = 0, at = offset; i < 16; i++, at += 4) {
    w[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = g ^ (e & (f ^ g));
    const t1 = (h + s1 + choice + (K[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) | (c & (a | b));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}

const BLOCK_BYTES = 64;
/** A multiple of the block, large enough to make calls to the encoder rare. */
const BUFFER_BYTES = 256 * BLOCK_BYTES;
const ENCODER: TextEncoder = new TextEncoder();

/** The first 32 bits of the fractional parts of the square roots of the first eight primes. */
const INITIAL: Int32Array = fractions(8, Math.sqrt);
/** The same of the cube roots of the first 64 primes. */
const K: Int32Array = fractions(64, Math.cbrt);

function fractions(count: number, root: (value: number) => number): Int32Array {
  const words = new Int32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let prime = true;
    for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) prime = false;
    if (prime) {
      const value = root(candidate);
      words[found++] = ((value - Math.floor(value)) * 0x1_0000_0000) | 0;
    }
  }
  return words;
}
