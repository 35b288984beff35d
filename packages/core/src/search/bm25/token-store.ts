import { scanTokens, TokenKind, type TokenSink } from '../text/index.ts';
import { growUint8, growUint32 } from './grow-array.ts';
import type { TermTable } from './term-table.ts';

/** Tokens of one text that are indexed; what comes after is left out. */
const MOST_TOKENS_PER_TEXT = 8_192;
/** Different texts whose tokens are remembered while an index is built. */
const MOST_REMEMBERED_TEXTS = 200_000;
/** Longer texts hardly ever repeat. */
const LONGEST_REMEMBERED_TEXT = 256;
/** Looking a text of one or two words up is cheap; longer ones have to repeat often enough to be worth it. */
const LONGEST_CHEAP_TEXT = 24;
/** After so many longer texts… */
const TRIAL = 2_000;
/** …at least one in so many has to have been known. */
const LEAST_SHARE = 8;

/** A unit from this on is the first of two. */
export const TWO_UNITS = 0xc000;

/**
 * The tokens of many texts, one after the other, each `term × 4 + kind`: in one unit of 16 bits, or in two (high bits plus
 * {@link TWO_UNITS}, low bits). Texts that repeat (names and descriptions of parameters do) are taken apart once.
 */
export class TokenStore implements TokenSink {
  readonly terms: TermTable;
  readonly seed: number;
  units: Uint16Array = new Uint16Array(1 << 14);
  size = 0;
  /** Tokens so far that are words. */
  words = 0;
  /** The latest token. */
  last = 0;
  /** Per term, a bit for each {@link TokenKind} that it occurred as. */
  uses: Uint8Array = new Uint8Array(1 << 13);
  /** Which share of the texts is in the store, above 0 to 1: what its size goes by when it has to grow. */
  progress = 1;
  /** Tokens that the current text may still give. */
  #left = 0;
  /** Text → its number in `#runs`. */
  readonly #remembered = new Map<string, number>();
  /** Per remembered text, where its units start and end, and how many words they are. */
  #runs: Uint32Array = new Uint32Array(1 << 12);
  #tried = 0;
  #known = 0;

  constructor(terms: TermTable) {
    this.terms = terms;
    this.seed = terms.seed;
  }

  /** @returns how many tokens the text gave. */
  add(text: string): number {
    this.#left = MOST_TOKENS_PER_TEXT;
    scanTokens(text, this);
    return MOST_TOKENS_PER_TEXT - this.#left;
  }

  /** Like {@link add}, for a text that may have come before. */
  addRepeating(text: string): void {
    const isCheap = text.length <= LONGEST_CHEAP_TEXT;
    if (!isCheap && (text.length > LONGEST_REMEMBERED_TEXT || this.#isNotWorthIt())) {
      this.add(text);
      return;
    }
    const run = this.#remembered.get(text);
    this.#tried += isCheap ? 0 : 1;
    if (run !== undefined) {
      this.#known += isCheap ? 0 : 1;
      this.#copy(run * 3);
      return;
    }
    const { size, words } = this;
    this.add(text);
    const count = this.#remembered.size;
    if (count < MOST_REMEMBERED_TEXTS) {
      if (count * 3 + 3 > this.#runs.length) {
        this.#runs = growUint32(this.#runs, count * 3 + 3);
      }
      this.#runs[count * 3] = size;
      this.#runs[count * 3 + 1] = this.size;
      this.#runs[count * 3 + 2] = this.words - words;
      this.#remembered.set(text, count);
    }
  }

  token(characters: Uint16Array, length: number, kind: number, hash: number): boolean {
    this.addTerm(this.terms.intern(characters, length, hash), kind);
    this.#left -= 1;
    return this.#left > 0;
  }

  addTerm(term: number, kind: number): void {
    if (term >= this.uses.length) {
      this.uses = growUint8(this.uses, term + 1);
    }
    this.uses[term] = (this.uses[term] ?? 0) | (1 << kind);
    if (this.size + 2 > this.units.length) {
      this.#grow(2);
    }
    const token = term * 4 + kind;
    if (token < TWO_UNITS) {
      this.units[this.size] = token;
      this.size += 1;
    } else {
      this.units[this.size] = TWO_UNITS + (token >>> 16);
      this.units[this.size + 1] = token & 0xffff;
      this.size += 2;
    }
    this.words += kind === TokenKind.word ? 1 : 0;
    this.last = token;
  }

  /** Whether a term is among the tokens from a place on. */
  hasTerm(term: number, start: number): boolean {
    for (let at = start; at < this.size; at += 1) {
      let token = this.units[at] ?? 0;
      if (token >= TWO_UNITS) {
        at += 1;
        token = ((token - TWO_UNITS) << 16) | (this.units[at] ?? 0);
      }
      if (token >>> 2 === term) {
        return true;
      }
    }
    return false;
  }

  #isNotWorthIt(): boolean {
    return this.#tried > TRIAL && this.#known * LEAST_SHARE < this.#tried;
  }

  #copy(run: number): void {
    const start = this.#runs[run] ?? 0;
    const end = this.#runs[run + 1] ?? 0;
    if (this.size + end - start > this.units.length) {
      this.#grow(end - start);
    }
    const { units } = this;
    let { size } = this;
    for (let at = start; at < end; at += 1) {
      units[size++] = units[at] ?? 0;
    }
    this.size = size;
    this.words += this.#runs[run + 2] ?? 0;
  }

  /** Large arrays make the garbage collector run, so they grow to what will be needed, as far as that can be told. */
  #grow(count: number): void {
    const expected = Math.min((this.size / this.progress) * GROWTH_MARGIN, this.size * MOST_GROWTH);
    const grown = new Uint16Array(Math.ceil(Math.max(expected, this.size * LEAST_GROWTH)) + count);
    grown.set(this.units);
    this.units = grown;
  }
}

const GROWTH_MARGIN = 1.1;
const LEAST_GROWTH = 1.5;
/** The first texts may be much longer than the others. */
const MOST_GROWTH = 64;
