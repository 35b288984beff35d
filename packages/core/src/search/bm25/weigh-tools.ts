import { TokenKind } from '../text/index.ts';
import type { Stems } from './assign-stems.ts';
import { IMPACT_SCALE } from './bm25-index.ts';
import { BM25_FIELDS, type Bm25Settings } from './bm25-options.ts';
import { growUint8, growUint32 } from './grow-array.ts';
import type { ReadTools } from './read-tools.ts';

/** Postings in the order of tools. */
export interface Postings {
  lists: Uint32Array;
  impacts: Uint8Array;
  size: number;
  /** Where each tool's postings end. */
  readonly toolEnds: Uint32Array;
}

/** Weighs every term of every tool: BM25F's sum over the fields, saturated and rounded. */
export function weighTools(read: ReadTools, stems: Stems, averages: Float64Array, settings: Bm25Settings): Postings {
  const { tokens, size } = read.store;
  const postings: Postings = {
    lists: new Uint32Array(size + (size >> 1) + 16),
    impacts: new Uint8Array(size + (size >> 1) + 16),
    size: 0,
    toolEnds: new Uint32Array(read.toolCount),
  };
  const termCount = stems.stemTerms.length;
  const weights = new Float64Array(stems.listCount);
  const met = new Uint32Array(stems.listCount);
  let start = 0;
  let entry = 0;
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    let count = 0;
    for (let field = 0; field < FIELD_COUNT; field += 1, entry += 1) {
      const word = fieldWeight(settings, averages, field, read.fieldLengths[entry] ?? 0);
      const whole = word * settings.wholeWeight;
      const end = read.fieldEnds[entry] ?? 0;
      for (let at = start; at < end; at += 1) {
        const token = tokens[at] ?? 0;
        const term = token >>> 2;
        const before = weights[term] ?? 0;
        if (before === 0) {
          met[count++] = term;
        }
        weights[term] = before + ((token & 3) === TokenKind.whole ? whole : word);
      }
      start = end;
    }
    const exactCount = count;
    for (let index = 0; index < exactCount; index += 1) {
      const term = met[index] ?? 0;
      const stemList = stems.stemLists[term] ?? 0;
      if (stemList >= termCount) {
        const before = weights[stemList] ?? 0;
        if (before === 0) {
          met[count++] = stemList;
        }
        weights[stemList] = before + (weights[term] ?? 0);
      }
    }
    if (postings.size + count > postings.lists.length) {
      postings.lists = growUint32(postings.lists, postings.size + count);
      postings.impacts = growUint8(postings.impacts, postings.size + count);
    }
    for (let index = 0; index < count; index += 1) {
      const list = met[index] ?? 0;
      postings.lists[postings.size] = list;
      postings.impacts[postings.size] = roundImpact(weights[list] ?? 0, settings.k1);
      postings.size += 1;
      weights[list] = 0;
    }
    postings.toolEnds[tool] = postings.size;
  }
  return postings;
}

/** What one occurrence counts in a field of this length. A weight of 0 is kept above it, so that the term still matches. */
export function fieldWeight(settings: Bm25Settings, averages: Float64Array, field: number, length: number): number {
  const name = BM25_FIELDS[field] ?? 'name';
  const b = settings.lengthWeights[name];
  return Math.max(SMALLEST_WEIGHT, settings.fieldWeights[name]) / (1 - b + (b * length) / (averages[field] ?? 1));
}

/** The impact of a summed weight: never 0, so that what matches always scores. */
export function roundImpact(weight: number, k1: number): number {
  return Math.min(IMPACT_SCALE - 1, Math.max(1, Math.round((weight / (weight + k1)) * IMPACT_SCALE)));
}

const SMALLEST_WEIGHT = 1e-9;

const FIELD_COUNT = BM25_FIELDS.length;
