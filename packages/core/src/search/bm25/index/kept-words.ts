import { createTool, type Tool } from '../../../catalog/index.ts';
import { once } from '../../../memoized.ts';
import { stepThrough } from '../../../slices.ts';
import { fingerprint, readIndexFile, writeIndexFile } from '../../kept/index-file.ts';
import type { KeptPart } from '../../kept/keep-index.ts';
import { nameKey } from '../../text/characters.ts';
import { FUNCTION_WORDS } from '../../text/function-words.ts';
import { BM25_DEFAULTS, BM25_FIELDS } from '../bm25-options.ts';
import {
  Bm25Index,
  type Bm25IndexData,
  INDEX_VERSION,
  LONGEST_DESCRIPTION_SEQUENCE,
  LONGEST_NAME_SEQUENCE,
  NO_LIST,
  stemListIn,
} from './bm25-index.ts';
import { buildBm25Index } from './build-bm25-index.ts';
import { gapBytes, isDense, isFolded, isPlainList, readLength } from './posting-list.ts';
import { TermTable, type TermTableData } from './term-table.ts';

/** The lexical index of these tools, with the default settings. */
export function keptWords(tools: readonly Tool[]): KeptPart<Bm25Index> {
  return {
    version: () => `words.${INDEX_VERSION}.${engineMark()}`,
    write: (key, { data }) => writeIndexFile(key, sectionsOf(data)),
    *read(bytes, key) {
      const sections = yield* readIndexFile(bytes, key);
      const data = sections === undefined ? undefined : dataOf(sections);
      if (data === undefined || !(yield* checkIndexInSteps(data, tools))) return undefined;
      return new Bm25Index(data);
    },
  };
}

function sectionsOf(data: Bm25IndexData): ArrayBufferView[] {
  const { terms } = data;
  return [
    Float64Array.of(data.toolCount, data.functionWordCount, terms.seed),
    ...[terms.bytes, terms.starts, terms.slots, data.stemmedTerms, data.stemmedLists, data.listStarts, data.postings],
    ...[data.averageLengths, data.nameTerms, data.nameMasses, data.nameLengths, data.sequenceStarts, data.sequences],
  ];
}

function dataOf(sections: readonly Uint8Array<ArrayBuffer>[]): Bm25IndexData | undefined {
  if (sections.length !== 14) return undefined;
  const at = (number: number): Uint8Array<ArrayBuffer> => sections[number] ?? new Uint8Array(0);
  const whole = (number: number, bytes: number): readonly [ArrayBuffer, number, number] => {
    const { buffer, byteOffset, byteLength } = at(number);
    return [buffer, byteOffset, Math.floor(byteLength / bytes)];
  };
  const u32 = (number: number): Uint32Array => new Uint32Array(...whole(number, 4));
  const [toolCount = -1, functionWordCount = -1, seed = 0] = new Float64Array(...whole(0, 8));
  return {
    version: INDEX_VERSION,
    settings: BM25_DEFAULTS,
    toolCount,
    functionWordCount,
    terms: { bytes: at(1), starts: u32(2), slots: u32(3), seed },
    stemmedTerms: u32(4),
    stemmedLists: u32(5),
    listStarts: u32(6),
    postings: at(7),
    averageLengths: new Float64Array(...whole(8, 8)),
    nameTerms: u32(9),
    nameMasses: new Float32Array(...whole(10, 4)),
    nameLengths: at(11),
    sequenceStarts: u32(12),
    sequences: new Uint16Array(...whole(13, 2)),
  };
}

/** A hash of what the code makes of a few words: another tokenizer or stemmer gives another one. */
const engineMark = once((): string => {
  const { data } = buildBm25Index(PROBES);
  const [, bytes, starts, , ...rest] = sectionsOf(data);
  // The seed, and the slots that depend on it, differ each time.
  return fingerprint([bytes, starts, ...rest].filter((section) => section !== undefined));
});

const PROBES: readonly Tool[] = [
  createTool({
    name: 'createInvoice_v2',
    server: 'billing-api',
    description:
      "Creates invoices; it's running the customers’ parsed HTTPServer e-mails. Größe façade 請求書を作成 сообщения",
    schema: {
      type: 'object',
      properties: {
        userIds: { type: 'array', description: 'Identifiers of users', items: { enum: ['a-b', 'née', 42] } },
      },
    },
  }),
  createTool({ name: 'jira__create_issue' }),
  createTool({ name: 'list', description: 'Lists things that were created, the best of them first' }),
];

/**
 * Whether an index from outside can be searched: all positions are inside their arrays, no list is longer than it says, nothing is
 * circular. An accepted index may still be wrong, but a search never fails or loops because of it.
 */
function* checkIndexInSteps(data: Bm25IndexData, tools: readonly Tool[]): Generator<void, boolean> {
  const { toolCount, terms, functionWordCount } = data;
  if (toolCount !== tools.length || functionWordCount !== FUNCTION_WORDS.length) return false;
  if (!isTermTable(terms) || !isStems(data) || !isPerTool(data)) return false;
  yield;
  const listCount = data.listStarts.length - 1;
  let isSound = isAscending(data.listStarts, data.postings.length) && listCount >= terms.starts.length - 1;
  yield* stepThrough(isSound ? listCount : 0, (first) => {
    const end = Math.min(first + LISTS_PER_STEP, listCount);
    for (let list = first; list < end && isSound; list += 1) isSound = isList(data, list);
    return isSound ? end : listCount;
  });
  return isSound && namesFit(data, tools);
}

const LISTS_PER_STEP = 256;

function isTermTable({ bytes, starts, slots, seed }: TermTableData): boolean {
  const size = starts.length - 1;
  const isPower = slots.length > 0 && (slots.length & (slots.length - 1)) === 0;
  if (!isPower || !Number.isInteger(seed) || size < FUNCTION_WORDS.length) return false;
  if (!isAscending(starts, bytes.length)) return false;
  let used = 0;
  for (const slot of slots) {
    if (slot === 0) continue;
    used += 1;
    const number = slot & 0xffffff;
    if (number === 0 || number > size) return false;
  }
  // A full table would be searched forever.
  return used === size && used < slots.length;
}

function isStems({ stemmedTerms, stemmedLists, listStarts, terms }: Bm25IndexData): boolean {
  if (stemmedTerms.length !== stemmedLists.length) return false;
  let before = -1;
  for (let at = 0; at < stemmedTerms.length; at += 1) {
    const term = stemmedTerms[at] as number;
    const list = stemmedLists[at] as number;
    if (term <= before || term >= terms.starts.length - 1) return false;
    if (list !== NO_LIST && list >= listStarts.length - 1) return false;
    before = term;
  }
  return true;
}

function isPerTool(data: Bm25IndexData): boolean {
  const { toolCount, averageLengths, nameTerms, nameMasses, nameLengths, sequenceStarts, sequences } = data;
  if (averageLengths.length !== BM25_FIELDS.length || !averageLengths.every((one) => one > 0 && one < 1e9))
    return false;
  if (nameTerms.length !== toolCount || nameMasses.length !== toolCount || nameLengths.length !== toolCount)
    return false;
  if (sequenceStarts.length !== toolCount + 1 || !isAscending(sequenceStarts, sequences.length)) return false;
  const termCount = data.terms.starts.length - 1;
  for (let tool = 0; tool < toolCount; tool += 1) {
    const term = nameTerms[tool] as number;
    const mass = nameMasses[tool] as number;
    const name = nameLengths[tool] as number;
    const length = (sequenceStarts[tool + 1] as number) - (sequenceStarts[tool] as number);
    if (term !== NO_LIST && term >= termCount) return false;
    if (!(mass >= 0 && mass < 1e9) || name > length) return false;
    if (name > LONGEST_NAME_SEQUENCE || length - name > LONGEST_DESCRIPTION_SEQUENCE) return false;
  }
  return true;
}

function isList(data: Bm25IndexData, list: number): boolean {
  const { listStarts, postings, toolCount } = data;
  const start = listStarts[list] as number;
  const end = listStarts[list + 1] as number;
  if (start === end) return true;
  const length = readLength(postings, start);
  if (length === 0 || length > toolCount || start + gapBytes(length) > end) return false;
  if (isFolded(postings, start)) return isFoldedList(data, list);
  if (isDense(length, toolCount)) return end - start === gapBytes(length) + 1 + toolCount;
  return isPlainList(postings, { start, end, toolCount });
}

/** Only the list of a term is folded, and never into a folded list: reading it would loop forever. */
function isFoldedList(data: Bm25IndexData, list: number): boolean {
  const { listStarts, postings, toolCount, terms } = data;
  const start = listStarts[list] as number;
  const end = listStarts[list + 1] as number;
  const whole = stemListIn(data, list);
  const wholeStart = listStarts[whole] ?? 0;
  if (list >= terms.starts.length - 1 || whole === list || wholeStart >= (listStarts[whole + 1] ?? 0)) return false;
  if (isFolded(postings, wholeStart)) return false;
  const differences = start + gapBytes(readLength(postings, start)) + 2;
  if (differences >= end) return false;
  if (readLength(postings, differences) === 0) return end - differences === 1;
  return isPlainList(postings, { start: differences, end, toolCount });
}

/** An index of other tools may be valid, but is not this one. */
function namesFit({ terms, nameTerms }: Bm25IndexData, tools: readonly Tool[]): boolean {
  const table = new TermTable(terms);
  const step = Math.max(1, Math.floor(tools.length / COMPARED_NAMES));
  for (let tool = 0; tool < tools.length; tool += step) {
    const term = nameTerms[tool] as number;
    if ((term === NO_LIST ? '' : table.text(term)) !== nameKey(tools[tool]?.name ?? '')) return false;
  }
  return true;
}

const COMPARED_NAMES = 64;

/** From 0, never decreasing, up to the length of what it points into. */
function isAscending(starts: Uint32Array, length: number): boolean {
  if (starts.length === 0 || starts[0] !== 0 || starts[starts.length - 1] !== length) return false;
  for (let at = 1; at < starts.length; at += 1) {
    if ((starts[at] as number) < (starts[at - 1] as number)) return false;
  }
  return true;
}
