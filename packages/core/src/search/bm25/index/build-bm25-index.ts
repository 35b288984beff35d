import type { Tool } from '../../../catalog/index.ts';
import { checkOptionNames } from '../../../check-option-names.ts';
import { QuartermasterError } from '../../../errors.ts';
import { runToEnd, stepThrough } from '../../../slices.ts';
import { FUNCTION_WORDS } from '../../text/function-words.ts';
import { stemInPlace } from '../../text/stem-word.ts';
import { hashToken, TokenKind } from '../../text/tokenize.ts';
import { BM25_DEFAULTS, type Bm25Options, type Bm25Settings, MOST_TOOLS } from '../bm25-options.ts';
import { Bm25Index, type Bm25IndexData, type CatalogStatistics, INDEX_VERSION, NO_LIST } from './bm25-index.ts';
import { findKnownLists } from './find-known-lists.ts';
import { averageFieldLengths, keepTokens, readTools, type TokenReuse } from './read-tools.ts';
import { scratchUint32 } from './scratch-array.ts';
import type { TermTable } from './term-table.ts';
import type { TokenStore } from './token-store.ts';
import { writePostings } from './write-postings.ts';
import { writeSequences } from './write-sequences.ts';

/** Builds the index of a list of tools. The tools' numbers are their positions in the list. */
export function buildBm25Index(tools: readonly Tool[], options: Bm25Options = {}): Bm25Index {
  checkOptionNames('buildBm25Index', options, BM25_DEFAULTS);
  return runToEnd(buildBm25IndexInSteps(tools, options));
}

export interface BuildOptions extends Bm25Options {
  /** Of the catalog that the tools are a part of. @default they are all of it */
  readonly statistics?: CatalogStatistics | undefined;
  /** Indexes of other catalogs, whose tokens are reused. The result keeps its own tokens for the next one. @default all tools are read */
  readonly reuse?: TokenReuse | undefined;
}

/** The same as {@link buildBm25Index}, with a yield wherever building may be interrupted. */
export function* buildBm25IndexInSteps(tools: readonly Tool[], options: BuildOptions = {}): Generator<void, Bm25Index> {
  const { statistics, reuse, ...tuning } = options;
  if (tools.length >= MOST_TOOLS) {
    throw new QuartermasterError(
      'too_many_tools',
      `An index holds fewer than ${MOST_TOOLS} tools, not ${tools.length}`,
      {
        context: { tools: tools.length },
      },
    );
  }
  const settings: Bm25Settings = { ...BM25_DEFAULTS, ...tuning };
  const read = yield* readTools(tools, reuse);
  yield;
  const stems = yield* assignStems(read.store);
  yield;
  const averageLengths = Float64Array.from(statistics?.averageLengths ?? averageFieldLengths(read), roundLength);
  const { copied } = read;
  const isWeighedAlike = copied !== undefined && isSameWeighing(copied.index.data, { averageLengths, settings });
  const known = isWeighedAlike ? findKnownLists(copied, stems) : undefined;
  const { listLengths, ...lists } = yield* writePostings(read, stems, { averageLengths, settings, known });
  yield;
  const sequences = yield* writeSequences(read, stems, { listLengths, statistics });
  yield;
  const terms = read.store.terms.toData();
  yield;
  const stemmed = listStemmed(stems);
  yield;
  const data: Bm25IndexData = {
    version: INDEX_VERSION,
    toolCount: tools.length,
    settings,
    terms,
    functionWordCount: FUNCTION_WORDS.length,
    ...stemmed,
    ...lists,
    averageLengths,
    nameTerms: read.nameTerms,
    ...sequences,
  };
  return new Bm25Index(data, { statistics, tokens: reuse === undefined ? undefined : keepTokens(read, reuse.marks) });
}

/**
 * An average length, rounded to a sixteenth of an octave. Every impact depends on it: if it changed with each tool, all of them would
 * have to be computed again.
 */
export function roundLength(length: number): number {
  return 2 ** (Math.round(16 * Math.log2(length)) / 16);
}

/** Whether a tool has the same impacts in both indexes. */
function isSameWeighing(
  one: Pick<Bm25IndexData, 'averageLengths' | 'settings'>,
  two: Pick<Bm25IndexData, 'averageLengths' | 'settings'>,
): boolean {
  return (
    one.averageLengths.every((length, field) => length === two.averageLengths[field]) &&
    JSON.stringify(one.settings) === JSON.stringify(two.settings)
  );
}

/** The stem of each term. */
export interface Stems {
  /** For each term, the list of its stem; {@link NO_LIST} for a stem that does not occur. */
  readonly stemLists: Uint32Array;
  readonly termCount: number;
  /** Terms, followed by the stems that several terms share. */
  readonly listCount: number;
}

const TERMS_PER_STEP = 512;

/** A stem of only one term shares that term's list; function words are their own stems. */
function* assignStems(store: TokenStore): Generator<void, Stems> {
  const { terms, uses } = store;
  const wordCount = terms.size;
  const stemOf = yield* findStems(terms, uses);
  yield;
  return listStems(stemOf, { wordCount, termCount: terms.size, uses });
}

interface StemCounts {
  /** The terms of the texts; stems that are no words of their own follow. */
  readonly wordCount: number;
  readonly termCount: number;
  readonly uses: Uint8Array;
}

function listStems(stemOf: Uint32Array, { wordCount, termCount, uses }: StemCounts): Stems {
  const stemLists = scratchUint32(termCount).fill(NO_LIST);
  let listCount = termCount;
  for (let term = 0; term < termCount; term += 1) {
    if (term >= wordCount || (uses[term] ?? 0) === 0) continue;
    const stem = stemOf[term] ?? term;
    if (stemLists[stem] === NO_LIST) {
      stemLists[stem] = term;
    } else if ((stemLists[stem] ?? 0) < termCount) {
      stemLists[stem] = listCount;
      listCount += 1;
    }
  }
  for (let term = 0; term < termCount; term += 1) stemLists[term] = stemLists[stemOf[term] ?? term] ?? NO_LIST;
  return { stemLists, termCount, listCount };
}

/** The terms whose stem has a list other than their own, ascending, and those lists: see `Bm25IndexData`. */
function listStemmed(stems: Stems): { stemmedTerms: Uint32Array; stemmedLists: Uint32Array } {
  const { stemLists } = stems;
  let count = 0;
  for (let term = 0; term < stemLists.length; term += 1) count += stemLists[term] === term ? 0 : 1;
  const stemmedTerms = new Uint32Array(count);
  const stemmedLists = new Uint32Array(count);
  let at = 0;
  for (let term = 0; term < stemLists.length; term += 1) {
    const list = stemLists[term] ?? NO_LIST;
    if (list !== term) {
      stemmedTerms[at] = term;
      stemmedLists[at] = list;
      at += 1;
    }
  }
  return { stemmedTerms, stemmedLists };
}

const LONGEST_STEMMED = 24;

/** Only words have a stem; whole identifiers and single characters are their own. */
function* findStems(terms: TermTable, uses: Uint8Array): Generator<void, Uint32Array> {
  const stems = scratchUint32(terms.size);
  yield* stepThrough(stems.length, (first) => stemSome(terms, uses, stems, first));
  yield;
  followStems(stems);
  return stems;
}

/** A stem that is itself a word with another stem leads on to that one, so that a stem is always its own. */
function followStems(stems: Uint32Array): void {
  for (let term = 0; term < stems.length; term += 1) {
    let stem = stems[term] ?? term;
    for (let next = stems[stem] ?? stem; next !== stem; next = stems[stem] ?? stem) stem = next;
    stems[term] = stem;
  }
}

function stemSome(terms: TermTable, uses: Uint8Array, stems: Uint32Array, first: number): number {
  const end = Math.min(first + TERMS_PER_STEP, stems.length);
  const word = new Uint16Array(LONGEST_STEMMED + 2);
  for (let term = first; term < end; term += 1) {
    const length = terms.byteLength(term);
    const isWord = ((uses[term] ?? 0) & (1 << TokenKind.word)) !== 0;
    if (!isWord || term < FUNCTION_WORDS.length || length > LONGEST_STEMMED) {
      stems[term] = term;
      continue;
    }
    for (let at = 0; at < length; at += 1) word[at] = terms.byteAt(term, at);
    const stemLength = stemInPlace(word, length);
    stems[term] =
      stemLength === length && isSame(terms, term, word)
        ? term
        : terms.intern(word, stemLength, hashToken(word, stemLength, terms.seed));
  }
  return end;
}

function isSame(terms: TermTable, term: number, word: Uint16Array): boolean {
  for (let at = terms.byteLength(term) - 1; at >= 0; at -= 1) {
    if (terms.byteAt(term, at) !== word[at]) return false;
  }
  return true;
}
