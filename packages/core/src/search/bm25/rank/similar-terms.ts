import { editDistance } from '../../../edit-distance.ts';
import { hashCharacter } from '../../text/tokenize.ts';
import type { Bm25Index } from '../index/bm25-index.ts';

/** Shorter words have too many neighbours. */
const SHORTEST_TYPO = 5;
/** From this length on two letters may be wrong. */
const SHORTEST_DOUBLE_TYPO = 8;
/** How many words may replace one. */
const MOST_EXPANSIONS = 3;
/** The shortest half of a compound. */
const SHORTEST_HALF = 3;

/** A substitute for a word that the catalog does not contain. */
export interface SimilarTerm {
  readonly term: number;
  /** Letters inserted, omitted, changed, or swapped with their neighbour. */
  readonly distance: number;
}

/** Finds substitutes for words that the catalog does not contain. Its tables are built for the first such word. */
export class SimilarTerms {
  /** Bytes of its tables, as far as they are made. */
  byteLength = 0;
  readonly #index: Bm25Index;
  #table: TypoTable | undefined;

  constructor(index: Bm25Index) {
    this.#index = index;
  }

  /** The nearest terms with the same first letter: one letter away, or two for a word of 8 letters or more; the most common first. */
  findTypos(word: string): SimilarTerm[] {
    if (word.length < SHORTEST_TYPO || word.length > LONGEST_TYPO || !LETTERS.test(word)) return [];
    this.#table ??= createTypoTable(this.#index);
    const { starts, terms, letters } = this.#table;
    this.byteLength = starts.byteLength + terms.byteLength + letters.byteLength;
    const wanted = letterBits(word);
    const first = bucketOf(word.charCodeAt(0), 0);
    let found: SimilarTerm[] = [];
    let nearest = word.length >= SHORTEST_DOUBLE_TYPO ? 2 : 1;
    const end = starts[first + Math.min(LONGEST_TYPO, word.length + nearest) + 1] ?? 0;
    for (let at = starts[first + word.length - nearest] ?? 0; at < end; at += 1) {
      // A wrong letter changes two bits at the most.
      if (bitCount((letters[at] ?? 0) ^ wanted) > nearest * 2) continue;
      const term = terms[at] ?? 0;
      const distance = editDistance(word, this.#index.terms.text(term), nearest);
      if (distance < nearest) {
        found = [];
        nearest = distance;
      }
      if (distance <= nearest) found.push({ term, distance });
    }
    found.sort(
      (left, right) => this.#index.listLength(right.term) - this.#index.listLength(left.term) || left.term - right.term,
    );
    return found.slice(0, MOST_EXPANSIONS);
  }

  /** The two known words that a word is made of (`webpage`), at the split whose rarer half is the most common. */
  splitCompound(word: string): readonly [number, number] | undefined {
    const { terms } = this.#index;
    const length = Math.min(word.length, LONGEST_COMPOUND);
    let best: readonly [number, number] | undefined;
    let bestCount = 0;
    let hash = terms.seed;
    for (let at = 0; at < length; at += 1) {
      const code = word.charCodeAt(at);
      compound[at] = code;
      hash = hashCharacter(hash, code);
      if (at + 1 < SHORTEST_HALF || at + 1 > word.length - SHORTEST_HALF) continue;
      const left = terms.find(compound, at + 1, hash);
      const leftCount = left < 0 ? 0 : this.#index.listLength(left);
      if (leftCount > bestCount) {
        const right = terms.findText(word.slice(at + 1));
        const count = Math.min(leftCount, right < 0 ? 0 : this.#index.listLength(right));
        if (count > bestCount) {
          best = [left, right];
          bestCount = count;
        }
      }
    }
    return best;
  }
}

/** Terms by first letter and length. */
interface TypoTable {
  /** Where each bucket starts in the other two. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** A bit per letter that the term has. */
  readonly letters: Uint32Array;
}

function createTypoTable(index: Bm25Index): TypoTable {
  const { terms } = index;
  const chosen: number[] = [];
  const starts = new Uint32Array(26 * LENGTHS + 1);
  for (let term = index.data.functionWordCount; term < terms.size; term += 1) {
    const length = terms.byteLength(term);
    if (length >= SHORTEST_TYPO - 1 && length <= LONGEST_TYPO && index.listLength(term) > 0 && isLetters(terms, term)) {
      chosen.push(term);
      const next = bucketOf(terms.byteAt(term, 0), length) + 1;
      starts[next] = (starts[next] ?? 0) + 1;
    }
  }
  for (let bucket = 0; bucket < 26 * LENGTHS; bucket += 1) {
    starts[bucket + 1] = (starts[bucket + 1] ?? 0) + (starts[bucket] ?? 0);
  }
  const places = starts.slice();
  const sorted = new Uint32Array(chosen.length);
  const letters = new Uint32Array(chosen.length);
  for (const term of chosen) {
    const bucket = bucketOf(terms.byteAt(term, 0), terms.byteLength(term));
    const place = places[bucket] ?? 0;
    places[bucket] = place + 1;
    sorted[place] = term;
    letters[place] = letterBits(terms.text(term));
  }
  return { starts, terms: sorted, letters };
}

function isLetters(terms: Bm25Index['terms'], term: number): boolean {
  for (let at = terms.byteLength(term) - 1; at >= 0; at -= 1) {
    const byte = terms.byteAt(term, at);
    if (byte < SMALL_A || byte >= SMALL_A + 26) return false;
  }
  return true;
}

function bucketOf(firstLetter: number, length: number): number {
  return (firstLetter - SMALL_A) * LENGTHS + length;
}

const LETTERS = /^[a-z]+$/;
const LONGEST_COMPOUND = 32;
const compound = new Uint16Array(LONGEST_COMPOUND);
const LONGEST_TYPO = 24;
/** Buckets per first letter. */
const LENGTHS = LONGEST_TYPO + 1;
const SMALL_A = 0x61;

function letterBits(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << ((word.charCodeAt(at) - SMALL_A) & 31);
  return bits >>> 0;
}

function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
