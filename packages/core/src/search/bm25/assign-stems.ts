import { FUNCTION_WORDS, hashCharacter, stemInPlace, TokenKind } from '../text/index.ts';
import { NO_LIST } from './bm25-index.ts';
import type { TermTable } from './term-table.ts';
import type { TokenStore } from './token-store.ts';

/** The stem of each term. */
export interface Stems {
  /** Per term, the list of its stem; {@link NO_LIST} for one that does not occur. */
  readonly stemLists: Uint32Array;
  readonly termCount: number;
  /** Terms, and then the stems that several terms share. */
  readonly listCount: number;
}

/** Stems that one term alone has share that term's list; function words are their own stems. */
export function assignStems(store: TokenStore): Stems {
  const { terms, uses } = store;
  const wordCount = terms.size;
  const stemOf = findStems(terms, uses);
  const termCount = terms.size;
  const only = new Uint32Array(termCount).fill(NO_LIST);
  const stemLists = new Uint32Array(termCount).fill(NO_LIST);
  let listCount = termCount;
  for (let term = 0; term < termCount; term += 1) {
    if (term >= wordCount || !uses[term]) {
      continue;
    }
    const stem = stemOf[term] ?? term;
    if (only[stem] === NO_LIST) {
      only[stem] = term;
      stemLists[stem] = term;
    } else if ((stemLists[stem] ?? 0) < termCount) {
      stemLists[stem] = listCount;
      listCount += 1;
    }
  }
  for (let term = 0; term < termCount; term += 1) {
    stemLists[term] = stemLists[stemOf[term] ?? term] ?? NO_LIST;
  }
  return { stemLists, termCount, listCount };
}

const LONGEST_STEMMED = 24;

/** Only what occurs as a word has a stem; wholes and single characters are their own. */
function findStems(terms: TermTable, uses: Uint8Array): Uint32Array {
  const wordCount = terms.size;
  const stems = new Uint32Array(wordCount);
  const word = new Uint16Array(LONGEST_STEMMED + 2);
  for (let term = 0; term < wordCount; term += 1) {
    const length = terms.byteLength(term);
    const isWord = ((uses[term] ?? 0) & (1 << TokenKind.word)) !== 0;
    if (!isWord || term < FUNCTION_WORDS.length || length > LONGEST_STEMMED) {
      stems[term] = term;
      continue;
    }
    for (let at = 0; at < length; at += 1) {
      word[at] = terms.byteAt(term, at);
    }
    const stemLength = stemInPlace(word, length);
    stems[term] = stemLength === length && isSame(terms, term, word) ? term : internStem(terms, word, stemLength);
  }
  // A stem that is itself a word with another stem goes on to that one, so that a stem is always its own.
  for (let term = 0; term < wordCount; term += 1) {
    let stem = stems[term] ?? term;
    for (let next = stems[stem] ?? stem; next !== stem; next = stems[stem] ?? stem) {
      stem = next;
    }
    stems[term] = stem;
  }
  return stems;
}

function internStem(terms: TermTable, word: Uint16Array, length: number): number {
  let hash = terms.seed;
  for (let at = 0; at < length; at += 1) {
    hash = hashCharacter(hash, word[at] ?? 0);
  }
  return terms.intern(word, length, hash);
}

function isSame(terms: TermTable, term: number, word: Uint16Array): boolean {
  for (let at = terms.byteLength(term) - 1; at >= 0; at -= 1) {
    if (terms.byteAt(term, at) !== word[at]) {
      return false;
    }
  }
  return true;
}
