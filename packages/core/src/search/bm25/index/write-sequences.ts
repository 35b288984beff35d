import { stepThrough } from '../../../slices.ts';
import { FUNCTION_WORDS } from '../../text/function-words.ts';
import { TokenKind } from '../../text/tokenize.ts';
import { BM25_FIELDS } from '../bm25-options.ts';
import {
  type Bm25IndexData,
  type CatalogStatistics,
  countStem,
  inverseFrequency,
  LONGEST_DESCRIPTION_SEQUENCE,
  LONGEST_NAME_SEQUENCE,
} from './bm25-index.ts';
import type { Stems } from './build-bm25-index.ts';
import type { ReadTools } from './read-tools.ts';
import { scratchUint16 } from './scratch-array.ts';
import { TWO_UNITS } from './token-store.ts';

/** The input of name coverage and bigrams, see `Bm25IndexData`. */
export type Sequences = Pick<Bm25IndexData, 'sequences' | 'sequenceStarts' | 'nameLengths' | 'nameMasses'>;

const TOOLS_PER_STEP = 128;

export interface SequenceStatistics {
  /** How many tools each list names. */
  readonly listLengths: Uint32Array;
  /** Of the catalog that the tools are a part of. */
  readonly statistics: CatalogStatistics | undefined;
}

export function* writeSequences(
  read: ReadTools,
  stems: Stems,
  { listLengths, statistics }: SequenceStatistics,
): Generator<void, Sequences> {
  const written: Sequences = {
    sequences: scratchUint16(countWords(read)),
    sequenceStarts: new Uint32Array(read.toolCount + 1),
    nameLengths: new Uint8Array(read.toolCount),
    nameMasses: new Float32Array(read.toolCount),
  };
  const writer: SequenceWriter = {
    ...written,
    stemLists: stems.stemLists,
    listLengths,
    statistics,
    nameWords: new Uint32Array(LONGEST_NAME_SEQUENCE),
    words: new Uint32Array(LONGEST_DESCRIPTION_SEQUENCE),
  };
  yield* stepThrough(read.toolCount, (first) => writeSome(read, writer, first));
  return { ...written, sequences: written.sequences.slice(0, written.sequenceStarts[read.toolCount] ?? 0) };
}

/** The output, and the state of writing, from tool to tool. */
interface SequenceWriter extends Sequences, SequenceStatistics {
  readonly stemLists: Uint32Array;
  readonly nameWords: Uint32Array;
  readonly words: Uint32Array;
}

function writeSome(read: ReadTools, writer: SequenceWriter, first: number): number {
  const { sequences, sequenceStarts, nameLengths, nameMasses, stemLists, nameWords, words } = writer;
  const end = Math.min(first + TOOLS_PER_STEP, read.toolCount);
  let size = sequenceStarts[first] ?? 0;
  for (let tool = first; tool < end; tool += 1) {
    const name = tool * FIELD_COUNT + NAME_FIELD;
    // A name of function words only is covered by them.
    const nameLength = readWords(read, name, nameWords, FUNCTION_WORDS.length) || readWords(read, name, nameWords, 0);
    let mass = 0;
    for (let at = 0; at < nameLength; at += 1) {
      const list = stemLists[nameWords[at] ?? 0] ?? 0;
      sequences[size++] = list;
      mass += idfOf(read, writer, list, nameWords[at] ?? 0);
    }
    nameLengths[tool] = nameLength;
    nameMasses[tool] = mass;
    const description = tool * FIELD_COUNT + DESCRIPTION_FIELD;
    const length = readWords(read, description, words, FUNCTION_WORDS.length);
    for (let at = 0; at < length; at += 1) sequences[size++] = stemLists[words[at] ?? 0] ?? 0;
    sequenceStarts[tool + 1] = size;
  }
  return end;
}

function idfOf({ store, toolCount }: ReadTools, writer: SequenceWriter, list: number, term: number): number {
  const { listLengths, statistics } = writer;
  if (statistics === undefined) return inverseFrequency(toolCount, listLengths[list] ?? 0);
  return inverseFrequency(statistics.toolCount, countStem(statistics, store.terms.text(term)));
}

/** The maximum number of words in sequences: function words count too. */
function countWords({ toolCount, fieldLengths }: ReadTools): number {
  let count = 0;
  for (let entry = 0; entry < toolCount * FIELD_COUNT; entry += FIELD_COUNT) {
    count += Math.min(LONGEST_NAME_SEQUENCE, fieldLengths[entry + NAME_FIELD] ?? 0);
    count += Math.min(LONGEST_DESCRIPTION_SEQUENCE, fieldLengths[entry + DESCRIPTION_FIELD] ?? 0);
  }
  return count;
}

/** Puts the words of a field with terms from `lowest` on into `words`, as many as fit. Returns how many. */
function readWords(read: ReadTools, entry: number, words: Uint32Array, lowest: number): number {
  const { units } = read.store;
  const end = read.fieldEnds[entry] ?? 0;
  let at = entry === 0 ? 0 : (read.fieldEnds[entry - 1] ?? 0);
  let count = 0;
  while (at < end && count < words.length) {
    let token = units[at++] ?? 0;
    if (token >= TWO_UNITS) token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
    if ((token & 3) === TokenKind.word && token >>> 2 >= lowest) words[count++] = token >>> 2;
  }
  return count;
}

const FIELD_COUNT = BM25_FIELDS.length;
const NAME_FIELD = BM25_FIELDS.indexOf('name');
const DESCRIPTION_FIELD = BM25_FIELDS.indexOf('description');
