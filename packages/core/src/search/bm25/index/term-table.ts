import { QuartermasterError } from '../../../errors.ts';
import { hashCharacter } from '../../text/tokenize.ts';
import { growUint8, growUint32, scratchInt32, scratchUint32 } from './scratch-array.ts';

/** A {@link TermTable} as plain typed arrays, to be sent to another thread or stored. */
export interface TermTableData {
  /** Each term's UTF-16 code units as one to three bytes, ASCII as itself; one term after the other. */
  readonly bytes: Uint8Array;
  /** Where each term starts in `bytes`, and where the last one ends. */
  readonly starts: Uint32Array;
  /** Open addressing, a power of two: 0, or 8 bits of the hash and 24 bits of the term's number plus one. */
  readonly slots: Uint32Array;
  /** The start value of hashes. Differs per table, so that terms can't be made to collide in advance. */
  readonly seed: number;
}

/** Means that a term is not in the table. */
export const NO_TERM = -1;

/**
 * Numbers terms from 0 in the order of their first occurrence, without creating a string for any of them.
 * Numbers don't depend on the seed. A table made from data is read-only.
 */
export class TermTable {
  readonly seed: number;
  #bytes: Uint8Array;
  #starts: Uint32Array;
  #slots: Uint32Array;
  /** The hash of each term, for growing; a read-only table has none. */
  #hashes: Int32Array | undefined;
  #size: number;
  /** A term in code units, and the same encoded. */
  #units: Uint16Array = NO_UNITS;
  #encoded: Uint8Array = NO_BYTES;

  /** @param expected about how many terms there will be, if no data is given: a small table starts small, and grows */
  constructor(data?: TermTableData, expected: number = MOST_EXPECTED) {
    const room = 1 << (32 - Math.clz32(Math.min(MOST_EXPECTED, Math.max(LEAST_EXPECTED, expected)) - 1));
    this.#bytes = data?.bytes ?? new Uint8Array(room * 8);
    this.#starts = data?.starts ?? new Uint32Array(room);
    this.#slots = data?.slots ?? new Uint32Array(room * 2);
    this.#hashes = data === undefined ? new Int32Array(room) : undefined;
    this.#size = data === undefined ? 0 : data.starts.length - 1;
    this.seed = data?.seed ?? (Math.random() * 0x100000000) | 0;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a term, which is assigned if it has none. `hash` is that of its characters, from {@link seed} on. */
  intern(characters: Uint16Array, length: number, hash: number): number {
    const spread = spreadHash(hash);
    const slot = this.#probe(characters, length, spread);
    const found = this.#slots[slot] ?? 0;
    return found === 0 ? this.#add(characters, length, spread, slot) : (found & NUMBER_MASK) - 1;
  }

  /** The number of a term, or {@link NO_TERM}. */
  find(characters: Uint16Array, length: number, hash: number): number {
    const slot = this.#probe(characters, length, spreadHash(hash));
    return ((this.#slots[slot] ?? 0) & NUMBER_MASK) - 1;
  }

  internText(text: string): number {
    const hash = this.#load(text);
    return this.intern(this.#units, text.length, hash);
  }

  findText(text: string): number {
    const hash = this.#load(text);
    return this.find(this.#units, text.length, hash);
  }

  /** The number here of another table's term, which is assigned if it has none. */
  internFrom(other: TermTable, term: number): number {
    const length = other.byteLength(term);
    if (length > this.#units.length) this.#units = new Uint16Array(Math.max(LEAST_TEXT, length));
    let hash = this.seed;
    for (let at = 0; at < length; at += 1) {
      const byte = other.byteAt(term, at);
      if (byte >= 0x80) return this.internText(other.text(term));
      this.#units[at] = byte;
      hash = hashCharacter(hash, byte);
    }
    return this.intern(this.#units, length, hash);
  }

  text(term: number): string {
    const bytes = this.#bytes;
    const end = this.#starts[term + 1] ?? 0;
    let text = '';
    for (let at = this.#starts[term] ?? 0; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80) {
        text += String.fromCharCode(byte);
      } else if (byte < 0xe0) {
        text += String.fromCharCode(((byte & 0x1f) << 6) | ((bytes[at + 1] ?? 0) & 0x3f));
        at += 1;
      } else {
        const middle = (bytes[at + 1] ?? 0) & 0x3f;
        text += String.fromCharCode(((byte & 0xf) << 12) | (middle << 6) | ((bytes[at + 2] ?? 0) & 0x3f));
        at += 2;
      }
    }
    return text;
  }

  /** Bytes of a term; for ASCII terms, their length. */
  byteLength(term: number): number {
    return (this.#starts[term + 1] ?? 0) - (this.#starts[term] ?? 0);
  }

  byteAt(term: number, at: number): number {
    return this.#bytes[(this.#starts[term] ?? 0) + at] ?? 0;
  }

  /** Its arrays cut to size: copies of those of a table that can still grow, which are scratch. */
  toData(): TermTableData {
    const hashes = this.#hashes;
    if (hashes === undefined) return { bytes: this.#bytes, starts: this.#starts, slots: this.#slots, seed: this.seed };
    // A read-only table needs fewer slots than one that still grows.
    let slotCount = this.#slots.length;
    while (this.#size <= (slotCount / 2) * FULLEST && slotCount > 1) slotCount /= 2;
    return {
      bytes: this.#bytes.slice(0, this.#starts[this.#size] ?? 0),
      starts: this.#starts.slice(0, this.#size + 1),
      slots: this.#place(hashes, new Uint32Array(slotCount)),
      seed: this.seed,
    };
  }

  /** Puts a text into `#units`. Returns its hash. */
  #load(text: string): number {
    if (text.length > this.#units.length) this.#units = new Uint16Array(Math.max(LEAST_TEXT, text.length));
    let hash = this.seed;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      this.#units[at] = code;
      hash = hashCharacter(hash, code);
    }
    return hash;
  }

  /** The slot of a term, or the empty one where it would go. */
  #probe(characters: Uint16Array, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const tag = hash & TAG_MASK;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? 0;
      if (found === 0) return slot;
      if ((found & TAG_MASK) === tag && this.#isSame((found & NUMBER_MASK) - 1, characters, length)) return slot;
    }
  }

  #isSame(term: number, characters: Uint16Array, length: number): boolean {
    const bytes = this.#bytes;
    const start = this.#starts[term] ?? 0;
    const size = (this.#starts[term + 1] ?? 0) - start;
    if (size < length) return false;
    for (let at = 0; at < length; at += 1) {
      const code = characters[at] ?? 0;
      if (code >= 0x80) return this.#isSameEncoded(start, size, characters, length);
      if (bytes[start + at] !== code) return false;
    }
    return size === length;
  }

  #isSameEncoded(start: number, size: number, characters: Uint16Array, length: number): boolean {
    if (this.#encode(characters, length) !== size) return false;
    for (let at = 0; at < size; at += 1) {
      if (this.#bytes[start + at] !== this.#encoded[at]) return false;
    }
    return true;
  }

  /** Writes a term to `#encoded`. Returns its bytes. */
  #encode(characters: Uint16Array, length: number): number {
    if (length * 3 > this.#encoded.length) this.#encoded = new Uint8Array(Math.max(LEAST_TEXT, length) * 3);
    return encodeUnits(characters, length, this.#encoded);
  }

  #add(characters: Uint16Array, length: number, hash: number, slot: number): number {
    const term = this.#size;
    if (this.#hashes === undefined || term >= MOST_TERMS) {
      throw new QuartermasterError(
        'invalid_index',
        this.#hashes === undefined
          ? 'A term table made from data is read-only; build a new index'
          : `An index holds ${MOST_TERMS} different terms at most; split the catalog`,
      );
    }
    const size = this.#encode(characters, length);
    const start = this.#starts[term] ?? 0;
    this.#reserve(start + size);
    for (let at = 0; at < size; at += 1) this.#bytes[start + at] = this.#encoded[at] ?? 0;
    this.#starts[term + 1] = start + size;
    this.#hashes[term] = hash;
    this.#size = term + 1;
    this.#slots[slot] = (hash & TAG_MASK) | (term + 1);
    if (this.#size * 4 > this.#slots.length * 3) {
      this.#slots = this.#place(this.#hashes, scratchUint32(this.#slots.length * 2));
    }
    return term;
  }

  #reserve(bytes: number): void {
    if (bytes > this.#bytes.length) this.#bytes = growUint8(this.#bytes, bytes);
    if (this.#size + 1 >= this.#starts.length) {
      this.#starts = growUint32(this.#starts, 0);
      const hashes = scratchInt32(this.#starts.length);
      hashes.set(this.#hashes ?? []);
      this.#hashes = hashes;
    }
  }

  /** Gives all terms one of these slots, which are empty. */
  #place(hashes: Int32Array, slots: Uint32Array): Uint32Array {
    const mask = slots.length - 1;
    for (let term = 0; term < this.#size; term += 1) {
      const hash = hashes[term] ?? 0;
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & TAG_MASK) | (term + 1);
    }
    return slots;
  }
}

/** A term as its bytes are in a table. */
export function encodeTerm(term: string): Uint8Array {
  const units = Uint16Array.from({ length: term.length }, (_, at) => term.charCodeAt(at));
  const encoded = new Uint8Array(units.length * 3);
  return encoded.subarray(0, encodeUnits(units, units.length, encoded));
}

/** Each code unit on its own, so that lone surrogates survive. Returns the number of bytes. */
function encodeUnits(characters: Uint16Array, length: number, encoded: Uint8Array): number {
  let end = 0;
  for (let at = 0; at < length; at += 1) {
    const code = characters[at] ?? 0;
    if (code < 0x80) {
      encoded[end++] = code;
    } else if (code < 0x800) {
      encoded[end++] = 0xc0 | (code >> 6);
      encoded[end++] = 0x80 | (code & 0x3f);
    } else {
      encoded[end++] = 0xe0 | (code >> 12);
      encoded[end++] = 0x80 | ((code >> 6) & 0x3f);
      encoded[end++] = 0x80 | (code & 0x3f);
    }
  }
  return end;
}

/** Terms that a new table has room for, powers of two. */
const LEAST_EXPECTED = 1 << 8;
const MOST_EXPECTED = 1 << 13;
/** Code units that there is room for once a text is looked up. */
const LEAST_TEXT = 32;
const NO_UNITS: Uint16Array = new Uint16Array(0);
const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The number plus one in a slot. */
const NUMBER_MASK = 0xffffff;
const TAG_MASK = 0xff000000 | 0;
const MOST_TERMS = NUMBER_MASK - 1;
/** The greatest share of slots in use. */
const FULLEST = 0.875;

/** The low bits of a hash choose the slot, the high ones are compared first: both have to depend on all of it. */
function spreadHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}
