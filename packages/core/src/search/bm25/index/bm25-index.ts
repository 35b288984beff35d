import { QuartermasterError } from '../../../errors.ts';
import { stemWord } from '../../text/stem-word.ts';
import type { Bm25Settings } from '../bm25-options.ts';
import {
  denseImpacts,
  findImpact,
  foldedDifferences,
  isDense,
  isFolded,
  type Posting,
  readLength,
  readPeak,
  readPostings,
} from './posting-list.ts';
import type { ToolTokens } from './read-tools.ts';
import { NO_TERM, TermTable, type TermTableData } from './term-table.ts';

/** An index as typed arrays and plain values only: it can be built in one thread and sent to another, or stored. */
export interface Bm25IndexData {
  readonly version: typeof INDEX_VERSION;
  readonly toolCount: number;
  readonly settings: Bm25Settings;
  readonly terms: TermTableData;
  /** Terms below this number are function words. */
  readonly functionWordCount: number;
  /** Terms whose stem has a list other than their own, ascending. */
  readonly stemmedTerms: Uint32Array;
  /** For each of them, the list of the tools that have any word with its stem, or {@link NO_LIST}. */
  readonly stemmedLists: Uint32Array;
  /** Where each list starts in `postings`. List `n` belongs to term `n`; lists of stems with several forms follow. */
  readonly listStarts: Uint32Array;
  /**
   * Lists as `posting-list.ts` has them: tools ascending, each with the saturated weight of the term in the tool, 1 to 255
   * for 0 to 1.
   */
  readonly postings: Uint8Array;
  /** For each field, its average length in words. */
  readonly averageLengths: Float64Array;
  /** For each tool, the term of its name's key. */
  readonly nameTerms: Uint32Array;
  /** For each tool, the sum of the idf of its name's words. */
  readonly nameMasses: Float32Array;
  /** For each tool, how much of its sequence belongs to its name. */
  readonly nameLengths: Uint8Array;
  /** Where each tool's sequence starts. */
  readonly sequenceStarts: Uint32Array;
  /** The words of each name, then those of its description, as the low 16 bits of their stem's list; no function words. */
  readonly sequences: Uint16Array;
}

/** Increased when older indexes can no longer be read. */
export const INDEX_VERSION = 2;

/** The stored value of an impact of 1. */
export const IMPACT_SCALE = 256;

/** Means that a term has no list. */
export const NO_LIST = 0xffffffff;

/** The rest of a longer name does not count for name coverage. */
export const LONGEST_NAME_SEQUENCE = 64;
/** How many words of a description can take part in bigrams. */
export const LONGEST_DESCRIPTION_SEQUENCE = 128;

interface IndexContext {
  readonly statistics?: CatalogStatistics | undefined;
  readonly tokens?: ToolTokens | undefined;
}

/** An inverted index over a list of tools, read-only. A tool is its position in that list. */
export class Bm25Index {
  readonly data: Bm25IndexData;
  readonly terms: TermTable;
  readonly toolCount: number;
  /** How many tools the catalog has; these may be a part of them. */
  readonly catalogSize: number;
  /** What it was built from, if another index may be built from it. */
  readonly tokens: ToolTokens | undefined;
  readonly #statistics: CatalogStatistics | undefined;
  /** One bit per term that is the key of a name; made for the first lookup of a name. */
  #nameKeys: Uint8Array | undefined;

  /** @param more.statistics of the catalog that the tools are a part of. @default they are all of it */
  constructor(data: Bm25IndexData, more: IndexContext = {}) {
    const { statistics, tokens } = more;
    if (data.version !== INDEX_VERSION) {
      throw new QuartermasterError(
        'invalid_index',
        `The index has version ${String(data.version)}, this code reads ${INDEX_VERSION}; rebuild it`,
        { context: { version: data.version } },
      );
    }
    this.data = data;
    this.terms = new TermTable(data.terms);
    this.toolCount = data.toolCount;
    this.catalogSize = statistics?.toolCount ?? data.toolCount;
    this.tokens = tokens;
    this.#statistics = statistics;
  }

  /** How many tools a list contains. */
  listLength(list: number): number {
    const { listStarts, postings } = this.data;
    const start = listStarts[list] ?? 0;
    return start < (listStarts[list + 1] ?? 0) ? readLength(postings, start) : 0;
  }

  /** The greatest impact in a list; 0 for an empty one. */
  listPeak(list: number): number {
    const { listStarts, postings } = this.data;
    const start = listStarts[list] ?? 0;
    return start < (listStarts[list + 1] ?? 0) ? readPeak(postings, start) : 0;
  }

  /** The list that a list is folded into, or itself: see `posting-list.ts`. Only lists of terms are folded. */
  unfoldedList(list: number): number {
    const { listStarts, postings } = this.data;
    const start = listStarts[list] ?? 0;
    return start < (listStarts[list + 1] ?? 0) && isFolded(postings, start) ? this.stemList(list) : list;
  }

  /** The list of a term as it is written, or {@link NO_LIST}. */
  exactList(term: number): number {
    return term !== NO_TERM && this.listLength(term) > 0 ? term : NO_LIST;
  }

  /** The list of everything with a term's stem, or {@link NO_LIST}. */
  stemList(term: number): number {
    return term === NO_TERM ? NO_LIST : stemListIn(this.data, term);
  }

  /** The list of everything with a word's stem, whether the catalog has the word itself or not; or {@link NO_LIST}. */
  stemListOf(word: string): number {
    const term = this.terms.findText(word);
    return this.stemList(term === NO_TERM ? this.terms.findText(stemWord(word)) : term);
  }

  /** How many tools of the catalog contain a word as it is written, given its list. */
  wordCount(list: number, word: string): number {
    return this.#statistics === undefined ? this.listLength(list) : this.#statistics.countWord(word);
  }

  /** The idf of a list: `ln(1 + (N − n + ½) / (n + ½))`, always above 0. */
  idf(list: number): number {
    return inverseFrequency(this.toolCount, this.listLength(list));
  }

  /** The same in the catalog that the tools are a part of, for the list of a word as it is written. */
  wordIdf(list: number, word: string): number {
    return inverseFrequency(this.catalogSize, this.wordCount(list, word));
  }

  /** And for the list of everything with the stem of a word. */
  stemIdf(list: number, word: string): number {
    const count = this.#statistics === undefined ? this.listLength(list) : countStem(this.#statistics, word);
    return inverseFrequency(this.catalogSize, count);
  }

  isFunctionWord(term: number): boolean {
    return term >= 0 && term < this.data.functionWordCount;
  }

  /** The impact of a tool in a list, or 0 if it is not in it. */
  impact(list: number, tool: number): number {
    const { listStarts, postings } = this.data;
    const start = listStarts[list] ?? 0;
    const end = listStarts[list + 1] ?? 0;
    if (start >= end) return 0;
    if (isFolded(postings, start)) {
      const impact = this.impact(this.stemList(list), tool);
      return impact === 0 ? 0 : impact - this.difference(list, tool);
    }
    return isDense(readLength(postings, start), this.toolCount)
      ? (postings[denseImpacts(postings, start) + tool] ?? 0)
      : findImpact(postings, start, end, tool);
  }

  /** How much lower a tool's impact in a folded list is than in the list that it is folded into. */
  difference(list: number, tool: number): number {
    const { listStarts, postings } = this.data;
    const start = foldedDifferences(postings, listStarts[list] ?? 0);
    return readLength(postings, start) === 0 ? 0 : findImpact(postings, start, listStarts[list + 1] ?? 0, tool);
  }

  /** How many tools have a different impact in a folded list and in the list that it is folded into. */
  differenceCount(list: number): number {
    const { listStarts, postings } = this.data;
    return readLength(postings, foldedDifferences(postings, listStarts[list] ?? 0));
  }

  hasTool(list: number, tool: number): boolean {
    return this.impact(list, tool) > 0;
  }

  /** A decoded list, tools in catalog order, for code that is not time-critical. */
  readList(list: number): Posting[] {
    const { listStarts, postings } = this.data;
    const start = listStarts[list] ?? 0;
    const end = listStarts[list + 1] ?? 0;
    const whole = this.unfoldedList(list);
    if (whole === list) return readPostings(postings, start, end, this.toolCount);
    const differences = readPostings(postings, foldedDifferences(postings, start), end, this.toolCount);
    const found: Posting[] = [];
    let at = 0;
    for (const { tool, impact } of this.readList(whole)) {
      const difference = differences[at]?.tool === tool ? (differences[at++]?.impact ?? 0) : 0;
      if (impact > difference) found.push({ tool, impact: impact - difference });
    }
    return found;
  }

  /** The tools whose name has this key (see `nameKey`), in catalog order. */
  findNames(key: string): number[] {
    const term = key === '' ? NO_TERM : this.terms.findText(key);
    if (term === NO_TERM || !this.#isNameKey(term)) return [];
    const { nameTerms } = this.data;
    return this.readList(term).flatMap(({ tool }) => (nameTerms[tool] === term ? [tool] : []));
  }

  /** Most words are not the name of a tool, so their lists need not be read. */
  #isNameKey(term: number): boolean {
    if (this.#nameKeys === undefined) {
      this.#nameKeys = new Uint8Array((this.terms.size >>> 3) + 1);
      for (const key of this.data.nameTerms) {
        if (key !== NO_LIST) this.#nameKeys[key >>> 3] = (this.#nameKeys[key >>> 3] ?? 0) | (1 << (key & 7));
      }
    }
    return ((this.#nameKeys[term >>> 3] ?? 0) & (1 << (term & 7))) !== 0;
  }

  /** The length of the longest key of a name, in bytes. */
  get longestNameKey(): number {
    let longest = 0;
    for (const term of this.data.nameTerms) {
      longest = Math.max(longest, term === NO_LIST ? 0 : this.terms.byteLength(term));
    }
    return longest;
  }

  /** Bytes of all its arrays. */
  get byteLength(): number {
    const { terms, ...rest } = this.data;
    let bytes = 0;
    for (const value of [...Object.values(terms), ...Object.values(rest), ...Object.values(this.tokens ?? {})]) {
      if (ArrayBuffer.isView(value)) bytes += value.byteLength;
    }
    return bytes;
  }
}

/** The list of everything with a term's stem, or {@link NO_LIST}. */
export function stemListIn({ stemmedTerms, stemmedLists }: Bm25IndexData, term: number): number {
  const place = firstAtLeast(stemmedTerms, term);
  return stemmedTerms[place] === term ? (stemmedLists[place] as number) : term;
}

/** The place of the first number that is not below the bound, among ascending ones. */
export function firstAtLeast(numbers: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A whole identifier is its own stem. */
export function countStem(statistics: CatalogStatistics, word: string): number {
  return Math.max(statistics.countStem(stemWord(word)), statistics.countWord(word));
}

export function inverseFrequency(toolCount: number, count: number): number {
  return Math.log(1 + (toolCount - count + 0.5) / (count + 0.5));
}

/**
 * Figures of a whole catalog, for an index of a few of its tools: words are as rare as they are in the catalog, not among the
 * candidates that were chosen for containing them.
 */
export interface CatalogStatistics {
  readonly toolCount: number;
  /** The average length in words of each field, in the order of the index's fields. */
  readonly averageLengths: readonly number[];
  /** How many tools have this word as it is written. */
  countWord(word: string): number;
  /** How many tools have any word with this stem. */
  countStem(stem: string): number;
}
