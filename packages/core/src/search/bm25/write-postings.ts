import { TokenKind } from '../text/index.ts';
import type { Stems } from './assign-stems.ts';
import { BM25_FIELDS, type Bm25Settings } from './bm25-options.ts';
import { fieldWeight, roundImpact } from './field-weight.ts';
import { gapBytes, headBytes, writeGap, writeHead } from './posting-list.ts';
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
 * Goes over the tokens twice, first to measure the lists, so that nothing as large as the lists is needed beside them.
 */
export function writePostings(read: ReadTools, stems: Stems, weighing: Weighing): Postings {
  const { listCount } = stems;
  const lists = measureLists(read, stems);
  const { lengths, places } = lists;
  const listStarts = new Uint32Array(listCount + 1);
  let end = 0;
  for (let list = 0; list < listCount; list += 1) {
    const bytes = places[list] ?? 0;
    const head = headBytes(lengths[list] ?? 0);
    listStarts[list] = end;
    places[list] = end + head;
    end += head + bytes;
  }
  listStarts[listCount] = end;
  const postings = new Uint8Array(end);
  lists.next.fill(0);
  weighTools(read, stems, weighing, { ...lists, postings });
  for (let list = 0; list < listCount; list += 1) {
    const length = lengths[list] ?? 0;
    if (length > 0) {
      writeHead(postings, listStarts[list] ?? 0, length);
    }
  }
  return { listStarts, postings, listLengths: lengths };
}

/** The state of all lists while tools are gone through. */
interface OpenLists {
  readonly lengths: Uint32Array;
  /** While measuring, the bytes of each list's postings; while writing, where its next posting goes. */
  readonly places: Uint32Array;
  /** Per list, the tool after the last one that is in it. */
  readonly next: Uint32Array;
  /** No tool has more tokens. */
  readonly mostTokens: number;
}

function measureLists(read: ReadTools, stems: Stems): OpenLists {
  const { units } = read.store;
  const { stemLists, termCount, listCount } = stems;
  const lengths = new Uint32Array(listCount);
  const places = new Uint32Array(listCount);
  const next = new Uint32Array(listCount);
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
      const before = next[term] ?? 0;
      if (before > tool) {
        continue;
      }
      next[term] = tool + 1;
      lengths[term] = (lengths[term] ?? 0) + 1;
      places[term] = (places[term] ?? 0) + gapBytes(tool - before) + 1;
      const stemList = stemLists[term] ?? 0;
      if (stemList < termCount) {
        continue;
      }
      const stemBefore = next[stemList] ?? 0;
      if (stemBefore <= tool) {
        next[stemList] = tool + 1;
        lengths[stemList] = (lengths[stemList] ?? 0) + 1;
        places[stemList] = (places[stemList] ?? 0) + gapBytes(tool - stemBefore) + 1;
      }
    }
  }
  return { lengths, places, next, mostTokens };
}

function weighTools(
  read: ReadTools,
  stems: Stems,
  weighing: Weighing,
  { postings, places, next, mostTokens }: OpenLists & { readonly postings: Uint8Array },
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
      const place = writeGap(postings, places[list] ?? 0, tool - (next[list] ?? 0));
      postings[place] = roundImpact(weights[list] ?? 0, settings.k1);
      places[list] = place + 1;
      next[list] = tool + 1;
      weights[list] = 0;
    }
  }
}

const FIELD_COUNT = BM25_FIELDS.length;
