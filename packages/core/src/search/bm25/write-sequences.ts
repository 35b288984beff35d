import { FUNCTION_WORDS, TokenKind } from '../text/index.ts';
import type { Stems } from './assign-stems.ts';
import { inverseFrequency, LONGEST_DESCRIPTION_SEQUENCE, LONGEST_NAME_SEQUENCE } from './bm25-index.ts';
import { BM25_FIELDS } from './bm25-options.ts';
import { growUint16, growUint32 } from './grow-array.ts';
import type { ReadTools } from './read-tools.ts';

/** What name coverage and bigrams are read from, see `Bm25IndexData`. */
export interface Sequences {
  readonly sequences: Uint16Array;
  readonly sequenceStarts: Uint32Array;
  readonly nameLengths: Uint8Array;
  /** The stems of each name, unshortened, one name after the other. */
  readonly nameStems: Uint32Array;
}

export function writeSequences(read: ReadTools, stems: Stems): Sequences {
  const { tokens } = read.store;
  const sequenceStarts = new Uint32Array(read.toolCount + 1);
  const nameLengths = new Uint8Array(read.toolCount);
  let sequences: Uint16Array = new Uint16Array(1 << 14);
  let nameStems: Uint32Array = new Uint32Array(1 << 12);
  let nameStemCount = 0;
  let size = 0;
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    if (size + LONGEST_NAME_SEQUENCE + LONGEST_DESCRIPTION_SEQUENCE > sequences.length) {
      sequences = growUint16(sequences, size + LONGEST_NAME_SEQUENCE + LONGEST_DESCRIPTION_SEQUENCE);
    }
    if (nameStemCount + LONGEST_NAME_SEQUENCE > nameStems.length) {
      nameStems = growUint32(nameStems, nameStemCount + LONGEST_NAME_SEQUENCE);
    }
    const first = tool * FIELD_COUNT;
    const nameStart = first === 0 ? 0 : (read.fieldEnds[first - 1] ?? 0);
    const nameEnd = read.fieldEnds[first + NAME_FIELD] ?? 0;
    const lowest = hasContentWord(tokens, nameStart, nameEnd) ? FUNCTION_WORDS.length : 0;
    const start = size;
    for (let at = nameStart; at < nameEnd && size - start < LONGEST_NAME_SEQUENCE; at += 1) {
      const token = tokens[at] ?? 0;
      if ((token & 3) === TokenKind.word && token >>> 2 >= lowest) {
        const stem = stems.stemTerms[token >>> 2] ?? 0;
        sequences[size++] = stem;
        nameStems[nameStemCount++] = stem;
      }
    }
    nameLengths[tool] = size - start;
    const descriptionStart = read.fieldEnds[first + DESCRIPTION_FIELD - 1] ?? 0;
    const descriptionEnd = read.fieldEnds[first + DESCRIPTION_FIELD] ?? 0;
    const longest = size + LONGEST_DESCRIPTION_SEQUENCE;
    for (let at = descriptionStart; at < descriptionEnd && size < longest; at += 1) {
      const token = tokens[at] ?? 0;
      if ((token & 3) === TokenKind.word && token >>> 2 >= FUNCTION_WORDS.length) {
        sequences[size++] = stems.stemTerms[token >>> 2] ?? 0;
      }
    }
    sequenceStarts[tool + 1] = size;
  }
  return { sequences: sequences.slice(0, size), sequenceStarts, nameLengths, nameStems };
}

function hasContentWord(tokens: Uint32Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const token = tokens[at] ?? 0;
    if ((token & 3) === TokenKind.word && token >>> 2 >= FUNCTION_WORDS.length) {
      return true;
    }
  }
  return false;
}

/** Per tool, the sum of the idf of its name's words. */
export function weighNames(
  nameStems: Uint32Array,
  nameLengths: Uint8Array,
  listStarts: Uint32Array,
  stemLists: Uint32Array,
): Float32Array {
  const toolCount = nameLengths.length;
  const masses = new Float32Array(toolCount);
  let at = 0;
  for (let tool = 0; tool < toolCount; tool += 1) {
    let mass = 0;
    for (const end = at + (nameLengths[tool] ?? 0); at < end; at += 1) {
      const list = stemLists[nameStems[at] ?? 0] ?? 0;
      mass += inverseFrequency(toolCount, (listStarts[list + 1] ?? 0) - (listStarts[list] ?? 0));
    }
    masses[tool] = mass;
  }
  return masses;
}

const FIELD_COUNT = BM25_FIELDS.length;
const NAME_FIELD = BM25_FIELDS.indexOf('name');
const DESCRIPTION_FIELD = BM25_FIELDS.indexOf('description');
