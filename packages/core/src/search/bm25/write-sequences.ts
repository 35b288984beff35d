import { FUNCTION_WORDS, TokenKind } from '../text/index.ts';
import type { Stems } from './assign-stems.ts';
import { inverseFrequency, LONGEST_DESCRIPTION_SEQUENCE, LONGEST_NAME_SEQUENCE } from './bm25-index.ts';
import { BM25_FIELDS } from './bm25-options.ts';
import type { ReadTools } from './read-tools.ts';
import { scratchUint16, scratchUint32 } from './scratch-array.ts';
import { TWO_UNITS } from './token-store.ts';

/** What name coverage and bigrams are read from, see `Bm25IndexData`. */
export interface Sequences {
  readonly sequences: Uint16Array;
  readonly sequenceStarts: Uint32Array;
  readonly nameLengths: Uint8Array;
  /** The stems' lists of each name, unshortened, one name after the other. */
  readonly nameLists: Uint32Array;
}

export function writeSequences(read: ReadTools, stems: Stems): Sequences {
  const sequenceStarts = new Uint32Array(read.toolCount + 1);
  const nameLengths = new Uint8Array(read.toolCount);
  const { nameWordCount, wordCount } = countWords(read);
  const sequences = scratchUint16(wordCount);
  const nameLists = scratchUint32(nameWordCount);
  let nameListCount = 0;
  let size = 0;
  const nameWords = new Uint32Array(LONGEST_NAME_SEQUENCE);
  const words = new Uint32Array(LONGEST_DESCRIPTION_SEQUENCE);
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    const name = tool * FIELD_COUNT + NAME_FIELD;
    // A name of function words only is covered by them.
    const nameLength = readWords(read, name, nameWords, FUNCTION_WORDS.length) || readWords(read, name, nameWords, 0);
    for (let at = 0; at < nameLength; at += 1) {
      const list = stems.stemLists[nameWords[at] ?? 0] ?? 0;
      sequences[size++] = list;
      nameLists[nameListCount++] = list;
    }
    nameLengths[tool] = nameLength;
    const description = tool * FIELD_COUNT + DESCRIPTION_FIELD;
    const length = readWords(read, description, words, FUNCTION_WORDS.length);
    for (let at = 0; at < length; at += 1) {
      sequences[size++] = stems.stemLists[words[at] ?? 0] ?? 0;
    }
    sequenceStarts[tool + 1] = size;
  }
  return { sequences: sequences.slice(0, size), sequenceStarts, nameLengths, nameLists };
}

/** How many words names, and names and descriptions, can have at the most in sequences: function words are counted too. */
function countWords({ toolCount, fieldLengths }: ReadTools): { nameWordCount: number; wordCount: number } {
  let nameWordCount = 0;
  let wordCount = 0;
  for (let entry = 0; entry < toolCount * FIELD_COUNT; entry += FIELD_COUNT) {
    const inName = Math.min(LONGEST_NAME_SEQUENCE, fieldLengths[entry + NAME_FIELD] ?? 0);
    nameWordCount += inName;
    wordCount += inName + Math.min(LONGEST_DESCRIPTION_SEQUENCE, fieldLengths[entry + DESCRIPTION_FIELD] ?? 0);
  }
  return { nameWordCount, wordCount };
}

/** Puts the words of a field with terms from `lowest` on into `words`, as many as fit. Returns how many. */
function readWords(read: ReadTools, entry: number, words: Uint32Array, lowest: number): number {
  const { units } = read.store;
  const end = read.fieldEnds[entry] ?? 0;
  let at = entry === 0 ? 0 : (read.fieldEnds[entry - 1] ?? 0);
  let count = 0;
  while (at < end && count < words.length) {
    let token = units[at++] ?? 0;
    if (token >= TWO_UNITS) {
      token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
    }
    if ((token & 3) === TokenKind.word && token >>> 2 >= lowest) {
      words[count++] = token >>> 2;
    }
  }
  return count;
}

/** Per tool, the sum of the idf of its name's words. */
export function weighNames(nameLists: Uint32Array, nameLengths: Uint8Array, listLengths: Uint32Array): Float32Array {
  const toolCount = nameLengths.length;
  const masses = new Float32Array(toolCount);
  let at = 0;
  for (let tool = 0; tool < toolCount; tool += 1) {
    let mass = 0;
    for (const end = at + (nameLengths[tool] ?? 0); at < end; at += 1) {
      mass += inverseFrequency(toolCount, listLengths[nameLists[at] ?? 0] ?? 0);
    }
    masses[tool] = mass;
  }
  return masses;
}

const FIELD_COUNT = BM25_FIELDS.length;
const NAME_FIELD = BM25_FIELDS.indexOf('name');
const DESCRIPTION_FIELD = BM25_FIELDS.indexOf('description');
