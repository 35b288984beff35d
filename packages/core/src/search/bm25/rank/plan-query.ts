import { QUERY_LIMITS } from '../../query/read-request.ts';
import { REQUEST_WORDS } from '../../text/function-words.ts';
import { stemWord } from '../../text/stem-word.ts';
import { scanTokens, TokenKind, tokenize } from '../../text/tokenize.ts';
import { type Bm25Index, NO_LIST } from '../index/bm25-index.ts';
import { NO_TERM } from '../index/term-table.ts';
import type { SimilarTerms } from './similar-terms.ts';

/** Weights are multiples of this fraction, so that sums are exact in any order. */
export const WEIGHT_SCALE = 512;

/** With at most this many lists of this weight, a sum stays below 2³¹. */
const MOST_LISTS = 512;
const MOST_WEIGHT = 16_383;

/** How a word of the query led to a list. */
export type Match = 'exact' | 'stem' | 'typo' | 'compound';

/** Why a list counts for a query. */
export interface PlannedReason {
  /** The word of the query. */
  readonly word: string;
  readonly match: Match;
  /** What it adds to the list's weight. */
  readonly weight: number;
}

/** A list to read, and the factor of its impacts. */
export interface PlannedList {
  readonly list: number;
  /** In units of 1 / {@link WEIGHT_SCALE}, at least 1. */
  weight: number;
  readonly reasons: PlannedReason[];
}

/** A stem of the query, for name coverage. */
export interface PlannedStem {
  /** The low 16 bits of its list, as sequences hold it. */
  readonly key: number;
  /** The list of everything with this stem. */
  readonly list: number;
  readonly idf: number;
  /** The weight of the query's word, 1 for a plain one. */
  weight: number;
}

/** Looks up a query's words and weighs them. */
export function planQuery(index: Bm25Index, similar: SimilarTerms, text: string): QueryPlan {
  return new Planner(index, similar).plan(text);
}

interface QueryWord {
  readonly text: string;
  readonly term: number;
  readonly kind: number;
  /** How often it occurs in the query; counted at its first occurrence. */
  count: number;
  /** The term that its stem's list belongs to. */
  stemTerm: number;
}

class Planner {
  readonly #index: Bm25Index;
  readonly #similar: SimilarTerms;
  readonly #lists = new Map<number, PlannedList>();
  readonly #stems: PlannedStem[] = [];
  readonly #stemNumbers = new Map<number, number>();
  readonly #bigrams = new Set<number>();

  constructor(index: Bm25Index, similar: SimilarTerms) {
    this.#index = index;
    this.#similar = similar;
  }

  plan(text: string): QueryPlan {
    const sequence = this.#read(text);
    const words = countWords(sequence);
    const outside = wordsOutsideQuotes(text);
    let hasKnownWord = false;
    const unknown: QueryWord[] = [];
    for (const word of this.#chooseWords([...words.values()])) {
      const weight = this.#weigh(word, outside);
      if (this.#addWord(word, weight)) {
        hasKnownWord = true;
      } else if (word.kind === TokenKind.word) {
        unknown.push(word);
      }
    }
    // In a long request an unknown word is more often a value than a typo, and there are other words.
    if (words.size <= MOST_WORDS_WITH_TYPOS) {
      for (const word of unknown) this.#addSimilar(word, this.#weigh(word, outside));
    }
    this.#addNeighbours(sequence);
    const lists = [...this.#lists.values()];
    const index = this.#index;
    lists.sort((left, right) => right.weight * index.listPeak(right.list) - left.weight * index.listPeak(left.list));
    return new QueryPlan({
      lists: lists.slice(0, MOST_LISTS),
      stems: this.#stems,
      bigrams: this.#bigrams,
      hasWords: words.size > 0,
      hasKnownWord,
      unknown: unknown.map((word) => word.text),
    });
  }

  #read(text: string): QueryWord[] {
    const { terms } = this.#index;
    const sequence: QueryWord[] = [];
    scanTokens(text, {
      seed: terms.seed,
      token(characters, length, kind, hash) {
        if (kind !== TokenKind.character) {
          const term = terms.find(characters, length, hash);
          sequence.push({ text: textOf(characters, length), term, kind, count: 1, stemTerm: term });
        }
        return sequence.length < QUERY_LIMITS.words;
      },
    });
    return sequence;
  }

  /** Drops function words that many tools contain, as long as another word of the query is known. */
  #chooseWords(words: readonly QueryWord[]): readonly QueryWord[] {
    const index = this.#index;
    const most = index.catalogSize * COMMON_SHARE;
    const chosen = words.filter(
      (word) => !index.isFunctionWord(word.term) || index.wordCount(word.term, word.text) <= most,
    );
    const isKnown = (word: QueryWord): boolean =>
      !index.isFunctionWord(word.term) && index.stemList(this.#findStem(word)) !== NO_LIST;
    return chosen.length < words.length && !chosen.some(isKnown) ? words : chosen;
  }

  #findStem(word: QueryWord): number {
    if (word.stemTerm === NO_TERM) word.stemTerm = this.#index.terms.findText(stemWord(word.text));
    return word.stemTerm;
  }

  /** The weight of a word of the query, before its idf. */
  #weigh(word: QueryWord, outside: ReadonlySet<string> | undefined): number {
    const { settings } = this.#index.data;
    let weight = ((settings.repeatWeight + 1) * word.count) / (settings.repeatWeight + word.count);
    if (this.#index.isFunctionWord(word.term)) weight *= settings.functionWordWeight;
    if (REQUEST_WORDS.has(word.text)) weight *= settings.requestWordWeight;
    if (isNumber(word.text)) weight *= settings.numberWeight;
    if (outside !== undefined && !outside.has(word.text)) weight *= settings.quotedWeight;
    return weight;
  }

  /** @returns whether the catalog contains the word or one with its stem. */
  #addWord(word: QueryWord, weight: number): boolean {
    const index = this.#index;
    const { exactWeight, stemWeight } = index.data.settings;
    const exact = index.exactList(word.term);
    if (exact !== NO_LIST) {
      const idf = index.wordIdf(exact, word.text);
      this.#addList(exact, weight * exactWeight * idf, { word: word.text, match: 'exact' });
    }
    const stemTerm = this.#findStem(word);
    const stem = index.stemList(stemTerm);
    if (stem === NO_LIST) return false;
    const idf = index.stemIdf(stem, word.text);
    this.#addList(stem, weight * stemWeight * idf, { word: word.text, match: 'stem' });
    if (word.kind === TokenKind.word) this.#addStem(stem, weight, idf);
    return true;
  }

  #addSimilar(word: QueryWord, weight: number): void {
    const { compoundWeight, typoWeight } = this.#index.data.settings;
    const halves = this.#similar.splitCompound(word.text);
    if (halves !== undefined) {
      for (const half of halves) this.#addForms(half, weight * compoundWeight, { word: word.text, match: 'compound' });
      return;
    }
    for (const { term, distance } of this.#similar.findTypos(word.text)) {
      this.#addForms(term, (weight * typoWeight) / distance, { word: word.text, match: 'typo' });
    }
  }

  #addForms(term: number, weight: number, why: Pick<PlannedReason, 'word' | 'match'>): void {
    const index = this.#index;
    const { exactWeight, stemWeight } = index.data.settings;
    const form = index.terms.text(term);
    this.#addList(term, weight * exactWeight * index.wordIdf(term, form), why);
    const stem = index.stemList(term);
    if (stem !== NO_LIST) {
      const idf = index.stemIdf(stem, form);
      this.#addList(stem, weight * stemWeight * idf, why);
      this.#addStem(stem, weight, idf);
    }
  }

  /** Pairs of neighbours: as bigrams, and written as one word. Function words don't separate. */
  #addNeighbours(sequence: readonly QueryWord[]): void {
    const index = this.#index;
    const { compoundWeight, exactWeight } = index.data.settings;
    let previous: QueryWord | undefined;
    for (const word of sequence) {
      if (word.kind !== TokenKind.word || index.isFunctionWord(word.term)) continue;
      if (previous !== undefined) {
        const left = this.#stemNumber(previous);
        const right = this.#stemNumber(word);
        if (left >= 0 && right >= 0) this.#bigrams.add(left * 256 + right);
        const compound = previous.text + word.text;
        const joined = index.exactList(index.terms.findText(compound));
        if (joined !== NO_LIST && !this.#lists.has(joined)) {
          const idf = index.wordIdf(joined, compound);
          const why = { word: `${previous.text} ${word.text}`, match: 'compound' } as const;
          this.#addList(joined, compoundWeight * exactWeight * idf, why);
        }
      }
      previous = word;
    }
  }

  #addList(list: number, weight: number, { word, match }: Pick<PlannedReason, 'word' | 'match'>): void {
    const part = Math.min(MOST_WEIGHT, Math.max(1, Math.round(weight * WEIGHT_SCALE)));
    const reason: PlannedReason = { word, match, weight: part };
    const planned = this.#lists.get(list);
    if (planned === undefined) {
      this.#lists.set(list, { list, weight: part, reasons: [reason] });
      return;
    }
    // Words with the same stem use the same list: the one with the greatest weight counts.
    const same = planned.reasons.findIndex((other) => other.match === match);
    if (same < 0) {
      planned.reasons.push(reason);
    } else if ((planned.reasons[same]?.weight ?? 0) < part) {
      planned.reasons[same] = reason;
    }
    planned.weight = Math.min(
      MOST_WEIGHT,
      planned.reasons.reduce((sum, other) => sum + other.weight, 0),
    );
  }

  #addStem(list: number, weight: number, idf: number): void {
    const known = this.#stemNumbers.get(list);
    if (known !== undefined) {
      const stem = this.#stems[known];
      if (stem !== undefined) stem.weight = Math.max(stem.weight, weight);
      return;
    }
    if (this.#stems.length >= MOST_STEMS) return;
    this.#stemNumbers.set(list, this.#stems.length);
    this.#stems.push({ key: list & 0xffff, list, idf, weight });
  }

  #stemNumber(word: QueryWord): number {
    return this.#stemNumbers.get(this.#index.stemList(this.#findStem(word))) ?? -1;
  }
}

/** A query prepared for an index. A class: V8 discards optimized code for a literal whose `mass` is sometimes whole. */
export class QueryPlan {
  /** The lists with the greatest possible contribution first. */
  readonly lists: readonly PlannedList[];
  readonly stems: readonly PlannedStem[];
  /** Sum over the stems of idf × weight. */
  readonly mass: number;
  /** Neighbours in the query, as `stem × 256 + stem` of numbers in `stems`. */
  readonly bigrams: ReadonlySet<number>;
  /** Whether the query has any word at all, known or not. */
  readonly hasWords: boolean;
  /** Whether a word of the query is in the catalog as such or by its stem. */
  readonly hasKnownWord: boolean;
  /** Words that the catalog contains neither as such nor by their stem, including misspelled ones. */
  readonly unknown: readonly string[];

  constructor({ lists, stems, bigrams, hasWords, hasKnownWord, unknown }: Omit<QueryPlan, 'mass'>) {
    this.lists = lists;
    this.stems = stems;
    this.mass = stems.reduce((sum, stem) => sum + stem.idf * stem.weight, 0);
    this.bigrams = bigrams;
    this.hasWords = hasWords;
    this.hasKnownWord = hasKnownWord;
    this.unknown = unknown;
  }
}

/** A function word in more of the tools than this is dropped if there are other words. */
const COMMON_SHARE = 0.05;
const MOST_WORDS_WITH_TYPOS = 16;
/** Stems are numbered in a byte. */
const MOST_STEMS = 255;

function textOf(characters: Uint16Array, length: number): string {
  let text = '';
  for (let at = 0; at < length; at += 1) text += String.fromCharCode(characters[at] ?? 0);
  return text;
}

function countWords(sequence: readonly QueryWord[]): Map<string, QueryWord> {
  const words = new Map<string, QueryWord>();
  for (const word of sequence) {
    const known = words.get(word.text);
    if (known === undefined) {
      words.set(word.text, word);
    } else {
      known.count += 1;
    }
  }
  return words;
}

function isNumber(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 0x30 && code <= 0x39 && NUMBER.test(word);
}

/** The words outside quotation marks and code, or undefined if nothing is quoted, or everything. */
function wordsOutsideQuotes(text: string): ReadonlySet<string> | undefined {
  if (!QUOTE.test(text)) return undefined;
  const rest = text.replace(QUOTED, ' ');
  if (rest.length === text.length) return undefined;
  const words = new Set(tokenize(rest).map((token) => token.text));
  return words.size === 0 ? undefined : words;
}

const NUMBER = /^\d+$/;
/** A cheap check for anything quoted, so that apostrophes don't cost the expensive one. */
const QUOTE = /["`“«「]|(?:^|[\s(])['‘]/;
/** Quoted spans of bounded length, with matching quotation marks; a single quote opens only where a word can't end. */
const QUOTED =
  /```[\s\S]{0,4096}?```|`[^`]{1,400}`|"[^"]{1,400}"|“[^”]{1,400}”|«[^»]{1,400}»|「[^」]{1,400}」|(?<![\p{L}\p{N}])['‘][^'‘’]{1,400}['’](?![\p{L}\p{N}])/gu;
