import { createTool, type Tool } from '../../../catalog/index.ts';
import { type KeptPart, readIndexFile, writeIndexFile } from '../../kept/index.ts';
import { runToEnd } from '../../slices/index.ts';
import { BM25_DEFAULTS } from '../bm25-options.ts';
import { Bm25Index, type Bm25IndexData, INDEX_VERSION } from './bm25-index.ts';
import { buildBm25Index } from './build-bm25-index.ts';
import { checkIndexInSteps } from './check-index.ts';

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

let mark: string | undefined;

/** What the code makes of a few words: an index that another tokeniser or stemmer made has another one. */
function engineMark(): string {
  if (mark !== undefined) return mark;
  const { data } = buildBm25Index(PROBES);
  const [, bytes, starts, , ...rest] = sectionsOf(data);
  // The seed and the slots that depend on it differ each time.
  const file = runToEnd(
    writeIndexFile(
      '',
      [bytes, starts, ...rest].flatMap((section) => section ?? []),
    ),
  );
  const sums = new Uint32Array(file.buffer, 8, 2);
  mark = [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join('');
  return mark;
}

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
  createTool({ name: 'list', description: 'Lists things that were created, the best of them first' }),
];
