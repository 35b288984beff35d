import { hashToken, scanTokens, TokenKind, type TokenSink } from '../../text/tokenize.ts';
import { growUint8, growUint32, scratchInt32, scratchUint16 } from './scratch-array.ts';
import { NO_TERM, type TermTable } from './term-table.ts';

/** How many tokens of one text are indexed; the rest is left out. */
const MOST_TOKENS_PER_TEXT = 8_192;
/** How many different texts are remembered while an index is built. */
const MOST_REMEMBERED_TEXTS = 200_000;
/** Longer texts rarely repeat. */
const LONGEST_REMEMBERED_TEXT = 2_048;
/** A text of one or two words: looking it up costs about as much as reading it. */
const LONGEST_SHORT_TEXT = 24;
/** After this many texts, check whether remembering pays off… */
const TRIAL = 2_000;
/** …which it does if this share of the texts was known, … */
const LEAST_SHARE = 1 / 8;
/** …or of the short ones this share. */
const LEAST_SHARE_OF_SHORT = 3 / 4;

/** Tokens that a new store has room for. */
const LEAST_EXPECTED = 1 << 8;
const MOST_EXPECTED = 1 << 14;

/** A unit from this value on is the first of two. */
export const TWO_UNITS = 0xc000;

/**
 * The tokens of many texts, one after the other, each `term × 4 + kind`: in one unit of 16 bits, or in two (high bits plus
 * {@link TWO_UNITS}, low bits). Texts that repeat (names and descriptions of parameters do) are read once.
 */
export class TokenStore implements TokenSink {
  readonly terms: TermTable;
  readonly seed: number;
  units: Uint16Array;
  size = 0;
  /** Tokens so far that are words. */
  words = 0;
  /** The latest token. */
  last = 0;
  /** Per term, a bit for each {@link TokenKind} that it occurred as. */
  uses: Uint8Array;
  /** The share of the texts that is in the store, above 0 to 1: its size is estimated from this when it has to grow. */
  progress = 1;
  /** How many more tokens the current text may have. */
  #left = 0;
  /** Text → its number in `#runs`. */
  readonly #remembered = new Map<string, number>();
  /** Per remembered text, where its units start and end, and how many words they are. */
  #runs: Uint32Array;
  /** Short words so far, each of which occurred as a word. */
  readonly #packed: PackedWords;
  readonly #shortTexts: Trial = { leastShare: LEAST_SHARE_OF_SHORT, tried: 0, known: 0 };
  readonly #longTexts: Trial = { leastShare: LEAST_SHARE, tried: 0, known: 0 };

  /** @param expected about how many tokens there will be: few need little room, and more is made where they are more */
  constructor(terms: TermTable, expected: number = MOST_EXPECTED) {
    const room = Math.min(MOST_EXPECTED, Math.max(LEAST_EXPECTED, expected));
    this.terms = terms;
    this.seed = terms.seed;
    this.units = new Uint16Array(room);
    this.uses = new Uint8Array(Math.max(room >> 1, terms.size));
    this.#runs = new Uint32Array(room >> 2);
    this.#packed = new PackedWords(room >> 2);
  }

  /** @returns how many tokens the text gave. */
  add(text: string): number {
    this.#left = MOST_TOKENS_PER_TEXT;
    scanTokens(text, this);
    return MOST_TOKENS_PER_TEXT - this.#left;
  }

  /** Like {@link add}, for a text that may have occurred before. */
  addRepeating(text: string): void {
    const trial = text.length <= LONGEST_SHORT_TEXT ? this.#shortTexts : this.#longTexts;
    if (
      text.length > LONGEST_REMEMBERED_TEXT ||
      (trial.tried > TRIAL && trial.known < trial.tried * trial.leastShare)
    ) {
      this.add(text);
      return;
    }
    trial.tried += 1;
    const run = this.#remembered.get(text);
    if (run !== undefined) {
      trial.known += 1;
      this.#copy(run * 3);
      return;
    }
    const { size, words } = this;
    this.add(text);
    this.#remember(text, size, words);
  }

  token(characters: Uint16Array, length: number, kind: number, hash: number): boolean {
    this.addTerm(this.terms.intern(characters, length, hash), kind);
    this.#left -= 1;
    return this.#left > 0;
  }

  packedWord(characters: Uint16Array, length: number, first: number, second: number): boolean {
    let term = this.#packed.find(first, second);
    if (term === NO_TERM) {
      term = this.terms.intern(characters, length, hashToken(characters, length, this.seed));
      this.#packed.add(first, second, term);
      this.addTerm(term, TokenKind.word);
    } else {
      this.addKnown(term * 4 + TokenKind.word);
    }
    this.#left -= 1;
    return this.#left > 0;
  }

  addTerm(term: number, kind: number): void {
    if (term >= this.uses.length) this.uses = growUint8(this.uses, term + 1);
    this.uses[term] = (this.uses[term] ?? 0) | (1 << kind);
    this.words += kind === TokenKind.word ? 1 : 0;
    this.#append(term * 4 + kind);
  }

  /** Adds a token that the store has already. */
  addKnown(token: number): void {
    this.words += (token & 3) === TokenKind.word ? 1 : 0;
    this.#append(token);
  }

  /**
   * Adds tokens of another store, by what they are here plus one, up to the first that the map has no token for.
   * @returns where that one starts, or `end`
   */
  copyMapped(
    from: Uint16Array,
    run: { readonly from: number; readonly end: number; readonly map: Uint32Array },
  ): number {
    const { end, map } = run;
    const room = 2 * (end - run.from);
    if (this.size + room > this.units.length) this.#grow(room);
    const { units } = this;
    let { size, words } = this;
    let at = run.from;
    while (at < end) {
      let token = from[at] as number;
      let after = at + 1;
      if (token >= TWO_UNITS) token = ((token - TWO_UNITS) << 16) | (from[after++] as number);
      const known = (map[token] as number) - 1;
      if (known < 0) break;
      at = after;
      words += (known & 3) === TokenKind.word ? 1 : 0;
      if (known < TWO_UNITS) {
        units[size++] = known;
      } else {
        units[size++] = TWO_UNITS + (known >>> 16);
        units[size++] = known & 0xffff;
      }
    }
    this.size = size;
    this.words = words;
    return at;
  }

  /** Whether a term is among the tokens from a place on. */
  hasTerm(term: number, start: number): boolean {
    for (let at = start; at < this.size; at += 1) {
      let token = this.units[at] ?? 0;
      if (token >= TWO_UNITS) {
        at += 1;
        token = ((token - TWO_UNITS) << 16) | (this.units[at] ?? 0);
      }
      if (token >>> 2 === term) return true;
    }
    return false;
  }

  #append(token: number): void {
    if (this.size + 2 > this.units.length) this.#grow(2);
    if (token < TWO_UNITS) {
      this.units[this.size] = token;
      this.size += 1;
    } else {
      this.units[this.size] = TWO_UNITS + (token >>> 16);
      this.units[this.size + 1] = token & 0xffff;
      this.size += 2;
    }
    this.last = token;
  }

  /** Remembers a text whose tokens are those from a position on, after this many words. */
  #remember(text: string, start: number, wordsBefore: number): void {
    const run = this.#remembered.size * 3;
    if (run >= MOST_REMEMBERED_TEXTS * 3) return;
    if (run + 3 > this.#runs.length) this.#runs = growUint32(this.#runs, run + 3);
    this.#runs[run] = start;
    this.#runs[run + 1] = this.size;
    this.#runs[run + 2] = this.words - wordsBefore;
    this.#remembered.set(text, run / 3);
  }

  #copy(run: number): void {
    const start = this.#runs[run] ?? 0;
    const end = this.#runs[run + 1] ?? 0;
    if (this.size + end - start > this.units.length) this.#grow(end - start);
    const { units } = this;
    let { size } = this;
    for (let at = start; at < end; at += 1) units[size++] = units[at] ?? 0;
    this.size = size;
    this.words += this.#runs[run + 2] ?? 0;
  }

  /** Grows to the expected size, as far as it can be estimated, so that little is copied. */
  #grow(count: number): void {
    const expected = Math.min((this.size / this.progress) * GROWTH_MARGIN, this.size * MOST_GROWTH);
    const grown = scratchUint16(Math.ceil(Math.max(expected, this.size * LEAST_GROWTH)) + count);
    grown.set(this.units);
    this.units = grown;
  }
}

/** Whether remembering texts pays off. */
interface Trial {
  readonly leastShare: number;
  tried: number;
  known: number;
}

const GROWTH_MARGIN = 1.1;
const LEAST_GROWTH = 1.5;
/** The first texts may be much longer than the others. */
const MOST_GROWTH = 64;

/**
 * The terms of short words by their packed letters (see `TokenSink`). The letters are compared where they are found, so that
 * a word takes one memory access and not the three of the term table, which are usually far apart.
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
      if (at === end) at = 0;
    }
    return NO_TERM;
  }

  /** Adds a new word; or doesn't, if there are too many, or too many in one place. */
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
      if (at === entries.length) at = 0;
    }
  }

  #grow(): void {
    const old = this.#entries;
    this.#bits += 1;
    this.#entries = scratchInt32(ENTRY_SIZE << this.#bits);
    this.#size = 0;
    for (let at = 0; at < old.length; at += ENTRY_SIZE) {
      const first = old[at] ?? 0;
      if (first !== 0) this.#put(first, old[at + 1] ?? 0, old[at + 2] ?? 0);
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
/** As many words as any real catalog has; more would only displace frequent ones. */
const MOST_BITS = 17;
/** Words that were made to collide cost no more than this. */
const MOST_PROBES = 16;
