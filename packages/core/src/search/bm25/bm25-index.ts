import { QuartermasterError } from '../../errors.ts';
import { stemWord } from '../text/index.ts';
import type { Bm25Settings } from './bm25-options.ts';
import { NO_TERM, TermTable, type TermTableData } from './term-table.ts';

/** An index as typed arrays and plain values only: it can be built in one thread and handed to another, or stored. */
export interface Bm25IndexData {
  readonly version: typeof INDEX_VERSION;
  readonly toolCount: number;
  readonly settings: Bm25Settings;
  readonly terms: TermTableData;
  /** Terms below this number are function words. */
  readonly functionWordCount: number;
  /** Per term, the term that is its stem. */
  readonly stemTerms: Uint32Array;
  /** Per term, the list of the tools that have any word with its stem. */
  readonly stemLists: Uint32Array;
  /** Where each list starts in `tools` and `impacts`. List `n` is that of term `n`; lists of stems with several forms follow. */
  readonly listStarts: Uint32Array;
  /** Per list, its greatest impact. */
  readonly listPeaks: Uint8Array;
  /** Numbers of tools, ascending within a list. */
  readonly tools: Uint16Array | Uint32Array;
  /** The saturated weight of the term in the tool, 1 to 255 for 0 to 1. */
  readonly impacts: Uint8Array;
  /** Per field, its average length in words. */
  readonly averageLengths: Float64Array;
  /** Per tool, the term that is its name's key. */
  readonly nameTerms: Uint32Array;
  /** Per tool, the sum of the idf of its name's words. */
  readonly nameMasses: Float32Array;
  /** Per tool, how many of its sequence belong to its name. */
  readonly nameLengths: Uint8Array;
  /** Where each tool's sequence starts. */
  readonly sequenceStarts: Uint32Array;
  /** The words of each name, then those of its description, as the low 16 bits of their stem's term; no function words. */
  readonly sequences: Uint16Array;
}

/** Goes up when an older index can no longer be read. */
export const INDEX_VERSION = 1;

/** An impact of 1 would be this. */
export const IMPACT_SCALE = 256;

/** Says that a term has no list. */
export const NO_LIST = 0xffffffff;

/** Names longer than this have the rest left out of name coverage. */
export const LONGEST_NAME_SEQUENCE = 64;
/** Words of a description that can take part in bigrams. */
export const LONGEST_DESCRIPTION_SEQUENCE = 128;

/** An inverted index over a list of tools, read-only. A tool is its position in that list. */
export class Bm25Index {
  readonly data: Bm25IndexData;
  readonly terms: TermTable;
  readonly toolCount: number;

  constructor(data: Bm25IndexData) {
    if (data.version !== INDEX_VERSION) {
      throw new QuartermasterError(
        'invalid_index',
        `The index has version ${String(data.version)}, this code reads ${INDEX_VERSION}; build it again`,
        { context: { version: data.version } },
      );
    }
    this.data = data;
    this.terms = new TermTable(data.terms);
    this.toolCount = data.toolCount;
  }

  /** How many tools a list names. */
  listLength(list: number): number {
    return (this.data.listStarts[list + 1] ?? 0) - (this.data.listStarts[list] ?? 0);
  }

  /** The list of a term as it is written, or {@link NO_LIST}. */
  exactList(term: number): number {
    return term !== NO_TERM && this.listLength(term) > 0 ? term : NO_LIST;
  }

  /** The list of everything with a term's stem, or {@link NO_LIST}. */
  stemList(term: number): number {
    return term === NO_TERM ? NO_LIST : (this.data.stemLists[term] ?? NO_LIST);
  }

  /** The list of everything with a word's stem, whether the catalog has the word itself or not; or {@link NO_LIST}. */
  stemListOf(word: string): number {
    const term = this.terms.findText(word);
    return this.stemList(term === NO_TERM ? this.terms.findText(stemWord(word)) : term);
  }

  stemTerm(term: number): number {
    return this.data.stemTerms[term] ?? term;
  }

  /** How much a list tells: `ln(1 + (N − n + ½) / (n + ½))`, above 0 however many tools it names. */
  idf(list: number): number {
    return inverseFrequency(this.toolCount, this.listLength(list));
  }

  isFunctionWord(term: number): boolean {
    return term >= 0 && term < this.data.functionWordCount;
  }

  /** Where a tool is in a list, or -1. */
  findPosting(list: number, tool: number): number {
    const { tools, listStarts } = this.data;
    let low = listStarts[list] ?? 0;
    let high = (listStarts[list + 1] ?? 0) - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = tools[middle] ?? 0;
      if (found === tool) {
        return middle;
      }
      if (found < tool) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  hasTool(list: number, tool: number): boolean {
    return this.findPosting(list, tool) >= 0;
  }

  /** The tools whose name has this key (see `nameKey`), in catalog order. */
  findNames(key: string): number[] {
    const term = key === '' ? NO_TERM : this.terms.findText(key);
    const found: number[] = [];
    if (term === NO_TERM) {
      return found;
    }
    const { listStarts, tools, nameTerms } = this.data;
    const end = listStarts[term + 1] ?? 0;
    for (let at = listStarts[term] ?? 0; at < end; at += 1) {
      const tool = tools[at] ?? 0;
      if (nameTerms[tool] === term) {
        found.push(tool);
      }
    }
    return found;
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
    for (const value of [...Object.values(terms), ...Object.values(rest)]) {
      if (ArrayBuffer.isView(value)) {
        bytes += value.byteLength;
      }
    }
    return bytes;
  }

  toTransfer(): Bm25IndexData {
    return this.data;
  }

  static fromTransfer(data: Bm25IndexData): Bm25Index {
    return new Bm25Index(data);
  }
}

export function inverseFrequency(toolCount: number, count: number): number {
  return Math.log(1 + (toolCount - count + 0.5) / (count + 0.5));
}
