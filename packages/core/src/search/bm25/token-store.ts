import { scanTokens, type TokenSink } from '../text/index.ts';
import { growUint32 } from './grow-array.ts';
import type { TermTable } from './term-table.ts';

/** Tokens of one text that are indexed; what comes after is left out. */
const MOST_TOKENS_PER_TEXT = 8_192;
/** Different texts whose tokens are remembered while an index is built. */
const MOST_REMEMBERED_TEXTS = 200_000;
/** Longer texts hardly ever repeat. */
const LONGEST_REMEMBERED_TEXT = 256;

/**
 * The tokens of many texts, one after the other, each as `term × 4 + kind`. Texts that repeat (names and descriptions of
 * parameters do) are taken apart once.
 */
export class TokenStore implements TokenSink {
  readonly terms: TermTable;
  readonly seed: number;
  tokens: Uint32Array;
  size = 0;
  #end = 0;
  /** Text → where its tokens are: `start × 16,384 + count`. */
  readonly #remembered = new Map<string, number>();

  /** `expected` is about how many tokens there will be. */
  constructor(terms: TermTable, expected: number) {
    this.tokens = new Uint32Array(expected + 1_024);
    this.terms = terms;
    this.seed = terms.seed;
  }

  add(text: string): void {
    this.#end = this.size + MOST_TOKENS_PER_TEXT;
    scanTokens(text, this);
  }

  /** Like {@link add}, for a text that is likely to come again. */
  addRepeating(text: string): void {
    const known = this.#remembered.get(text);
    if (known !== undefined) {
      const start = Math.floor(known / COUNT_SCALE);
      this.#copy(start, known % COUNT_SCALE);
      return;
    }
    const start = this.size;
    this.add(text);
    if (text.length <= LONGEST_REMEMBERED_TEXT && this.#remembered.size < MOST_REMEMBERED_TEXTS) {
      this.#remembered.set(text, start * COUNT_SCALE + this.size - start);
    }
  }

  /** Adds a token that is in no text. */
  addTerm(term: number, kind: number): void {
    this.#reserve(1);
    this.tokens[this.size] = term * 4 + kind;
    this.size += 1;
  }

  token(characters: Uint16Array, length: number, kind: number, hash: number): boolean {
    const term = this.terms.intern(characters, length, hash);
    if (this.size >= this.tokens.length) {
      this.#reserve(1);
    }
    this.tokens[this.size] = term * 4 + kind;
    this.size += 1;
    return this.size < this.#end;
  }

  #copy(start: number, count: number): void {
    this.#reserve(count);
    const { tokens } = this;
    let { size } = this;
    for (let at = start; at < start + count; at += 1) {
      tokens[size++] = tokens[at] ?? 0;
    }
    this.size = size;
  }

  #reserve(count: number): void {
    if (this.size + count > this.tokens.length) {
      this.tokens = growUint32(this.tokens, this.size + count);
    }
  }
}

const COUNT_SCALE = 16_384;
