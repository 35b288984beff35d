import { TokenKind } from '../text/index.ts';
import type { Stems } from './assign-stems.ts';
import { BM25_FIELDS, type Bm25Settings } from './bm25-options.ts';
import { fieldWeight, roundImpact } from './field-weight.ts';
import { packLists } from './pack-lists.ts';
import { gapBytes, headBytes, writeGap } from './posting-list.ts';
import type { ReadTools } from './read-tools.ts';
import { TWO_UNITS } from './token-store.ts';

/** The postings of all lists, see `Bm25IndexData`. */
export interface Postings {
  readonly listStarts: Uint32Array;
  readonly postings: Uint8Array;
  /** How many tools each list names. */
  readonly listLengths: Uint32Array;
}

/** What an index weighs with. */
export interface Weighing {
  readonly averageLengths: Float64Array;
  readonly settings: Bm25Settings;
}

/**
 * Weighs every term of every tool (BM25F's sum over the fields, saturated and rounded) and writes it to its lists.
 * Goes over the tokens twice, first to measure the lists, so that each posting is written once where it belongs.
 */
export function writePostings(read: ReadTools, stems: Stems, weighing: Weighing): Postings {
  const { listCount } = stems;
  const { records, mostTokens } = measureLists(read, stems);
  const starts = new Uint32Array(listCount + 1);
  const lengths = new Uint32Array(listCount);
  let end = 0;
  for (let list = 0; list < listCount; list += 1) {
    const record = list * RECORD_SIZE;
    const length = records[record + LENGTH] ?? 0;
    const first = end + headBytes(length);
    starts[list] = end;
    lengths[list] = length;
    end = first + (records[record + PLACE] ?? 0);
    records[record + PLACE] = first;
    records[record + NEXT] = 0;
  }
  starts[listCount] = end;
  const postings = new Uint8Array(end);
  weighTools(read, stems, weighing, { records, mostTokens, postings });
  const packed = packLists({ postings, starts, lengths, toolCount: read.toolCount }, stems);
  return { ...packed, listLengths: lengths };
}

/** The state of all lists while tools are gone through. */
interface OpenLists {
  /** What is known of each list, side by side, since the list of a token is mostly far from that of the one before it. */
  readonly records: Uint32Array;
  /** No tool has more tokens. */
  readonly mostTokens: number;
}

const RECORD_SIZE = 3;
/** The tool after the last one that is in the list. */
const NEXT = 0;
/** While measuring, the bytes of its postings; while weighing, where its next posting goes. */
const PLACE = 1;
/** While measuring, how many postings it has. */
const LENGTH = 2;

function measureLists(read: ReadTools, stems: Stems): OpenLists {
  const { units } = read.store;
  const { stemLists, termCount, listCount } = stems;
  const records = new Uint32Array(listCount * RECORD_SIZE);
  let mostTokens = 0;
  let at = 0;
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    const end = read.fieldEnds[(tool + 1) * FIELD_COUNT - 1] ?? 0;
    mostTokens = Math.max(mostTokens, end - at);
    while (at < end) {
      let token = units[at++] ?? 0;
      if (token >= TWO_UNITS) {
        token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
      }
      const term = token >>> 2;
      if (!measurePosting(records, term, tool)) {
        continue;
      }
      const stemList = stemLists[term] ?? 0;
      if (stemList >= termCount) {
        measurePosting(records, stemList, tool);
      }
    }
  }
  return { records, mostTokens };
}

/** @returns whether the tool was not in the list so far. */
function measurePosting(records: Uint32Array, list: number, tool: number): boolean {
  const record = list * RECORD_SIZE;
  const before = records[record + NEXT] ?? 0;
  if (before > tool) {
    return false;
  }
  records[record + NEXT] = tool + 1;
  records[record + PLACE] = (records[record + PLACE] ?? 0) + gapBytes(tool - before) + 1;
  records[record + LENGTH] = (records[record + LENGTH] ?? 0) + 1;
  return true;
}

function weighTools(
  read: ReadTools,
  stems: Stems,
  weighing: Weighing,
  { records, mostTokens, postings }: OpenLists & { readonly postings: Uint8Array },
): void {
  const { units } = read.store;
  const { stemLists, termCount, listCount } = stems;
  const { settings, averageLengths } = weighing;
  const weights = new Float64Array(listCount);
  // Each token brings its term's list and perhaps its stem's.
  const met = new Uint32Array(mostTokens * 2);
  let at = 0;
  let entry = 0;
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    let count = 0;
    for (let field = 0; field < FIELD_COUNT; field += 1, entry += 1) {
      const word = fieldWeight(settings, averageLengths, field, read.fieldLengths[entry] ?? 0);
      const whole = word * settings.wholeWeight;
      const end = read.fieldEnds[entry] ?? 0;
      while (at < end) {
        let token = units[at++] ?? 0;
        if (token >= TWO_UNITS) {
          token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
        }
        const term = token >>> 2;
        const before = weights[term] ?? 0;
        if (before === 0) {
          met[count++] = term;
        }
        weights[term] = before + ((token & 3) === TokenKind.whole ? whole : word);
      }
    }
    const exactCount = count;
    for (let index = 0; index < exactCount; index += 1) {
      const term = met[index] ?? 0;
      const stemList = stemLists[term] ?? 0;
      if (stemList >= termCount) {
        const before = weights[stemList] ?? 0;
        if (before === 0) {
          met[count++] = stemList;
        }
        weights[stemList] = before + (weights[term] ?? 0);
      }
    }
    for (let index = 0; index < count; index += 1) {
      const list = met[index] ?? 0;
      const record = list * RECORD_SIZE;
      const place = writeGap(postings, records[record + PLACE] ?? 0, tool - (records[record + NEXT] ?? 0));
      postings[place] = roundImpact(weights[list] ?? 0, settings.k1);
      records[record + PLACE] = place + 1;
      records[record + NEXT] = tool + 1;
      weights[list] = 0;
    }
  }
}

const FIELD_COUNT = BM25_FIELDS.length;
