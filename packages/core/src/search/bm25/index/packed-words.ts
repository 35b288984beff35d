import { scratchInt32 } from './scratch-array.ts';
import { NO_TERM } from './term-table.ts';

/**
 * The terms of short words by their packed letters (see `TokenSink`). The letters are compared where they are found, so that
 * a word takes one look into memory and not the three of the term table, which are mostly far apart.
 */
export class PackedWords {
  /** Open addressing: each word its two packed numbers, its term, and nothing. No word packs to 0. */
  #entries: Int32Array;
  #bits: number;
  #size = 0;

  /** @param expected about how many words there will be */
  constructor(expected: number = 1 << FIRST_BITS) {
    this.#bits = Math.min(FIRST_BITS, Math.max(LEAST_BITS, 32 - Math.clz32(expected)));
    this.#entries = scratchInt32(ENTRY_SIZE << this.#bits);
  }

  /** The term of a word, or {@link NO_TERM}. */
  find(first: number, second: number): number {
    const entries = this.#entries;
    const end = entries.length;
    let at = startOf(first, second, this.#bits);
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      const found = entries[at] ?? 0;
      if (found === first && entries[at + 1] === second) return entries[at + 2] ?? NO_TERM;
      if (found === 0) return NO_TERM;
      at += ENTRY_SIZE;
      if (at === end) {
        at = 0;
      }
    }
    return NO_TERM;
  }

  /** Adds a word that is not there; or does not, where there are too many or too many in one place. */
  add(first: number, second: number, term: number): void {
    if (this.#size * 2 >= 1 << this.#bits) {
      if (this.#bits === MOST_BITS) return;
      this.#grow();
    }
    this.#put(first, second, term);
  }

  #put(first: number, second: number, term: number): void {
    const entries = this.#entries;
    let at = startOf(first, second, this.#bits);
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      if (entries[at] === 0) {
        entries[at] = first;
        entries[at + 1] = second;
        entries[at + 2] = term;
        this.#size += 1;
        return;
      }
      at += ENTRY_SIZE;
      if (at === entries.length) {
        at = 0;
      }
    }
  }

  #grow(): void {
    const old = this.#entries;
    this.#bits += 1;
    this.#entries = scratchInt32(ENTRY_SIZE << this.#bits);
    this.#size = 0;
    for (let at = 0; at < old.length; at += ENTRY_SIZE) {
      const first = old[at] ?? 0;
      if (first !== 0) {
        this.#put(first, old[at + 1] ?? 0, old[at + 2] ?? 0);
      }
    }
  }
}

function startOf(first: number, second: number, bits: number): number {
  return (Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b) >>> (32 - bits)) * ENTRY_SIZE;
}

/** A power of two, so that no entry lies in two cache lines. */
const ENTRY_SIZE = 4;
const LEAST_BITS = 6;
const FIRST_BITS = 12;
/** As many words as any catalog of people's words has; more would only crowd out what is needed often. */
const MOST_BITS = 17;
/** Words that were made to collide cost no more than this. */
const MOST_PROBES = 16;
