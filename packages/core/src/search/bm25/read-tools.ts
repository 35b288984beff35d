import { type SearchText, searchText, type Tool } from '../../catalog/index.ts';
import { FUNCTION_WORDS, nameKey, TokenKind } from '../text/index.ts';
import { NO_LIST } from './bm25-index.ts';
import { BM25_FIELDS } from './bm25-options.ts';
import { TermTable } from './term-table.ts';
import { TokenStore } from './token-store.ts';

/** What reading the tools gave: all tokens, where each field of each tool ends, and the key of each name. */
export interface ReadTools {
  readonly toolCount: number;
  readonly store: TokenStore;
  /** Entry `tool × fields + field` is where that field's tokens end. */
  readonly fieldEnds: Uint32Array;
  /** Words per field and tool, without wholes and single characters. */
  readonly fieldLengths: Uint32Array;
  readonly nameTerms: Uint32Array;
}

/** Takes the texts of all tools apart. Function words get the first numbers. */
export function readTools(tools: readonly Tool[]): ReadTools {
  const terms = new TermTable();
  for (const word of FUNCTION_WORDS) {
    terms.internText(word);
  }
  const store = new TokenStore(terms, tools.length * EXPECTED_TOKENS);
  const fieldEnds = new Uint32Array(tools.length * FIELD_COUNT);
  const fieldLengths = new Uint32Array(tools.length * FIELD_COUNT);
  const nameTerms = new Uint32Array(tools.length);
  let entry = 0;
  for (let tool = 0; tool < tools.length; tool += 1) {
    const text = searchText(tools[tool] as Tool);
    for (const field of BM25_FIELDS) {
      const start = store.size;
      readField(store, text, field);
      if (field === 'name') {
        nameTerms[tool] = addNameKey(store, text.name, start);
      }
      fieldEnds[entry] = store.size;
      fieldLengths[entry] = countWords(store.tokens, start, store.size);
      entry += 1;
    }
  }
  return { toolCount: tools.length, store, fieldEnds, fieldLengths, nameTerms };
}

function readField(store: TokenStore, text: SearchText, field: (typeof BM25_FIELDS)[number]): void {
  switch (field) {
    case 'name':
    case 'description':
      store.add(text[field]);
      return;
    case 'server':
      store.addRepeating(text.server);
      return;
    case 'parameterNames':
    case 'parameterDescriptions':
    case 'enumValues':
      for (const part of text[field]) {
        store.addRepeating(part);
      }
      return;
  }
}

/** Makes sure that a name's key is among its tokens, so that the key's list leads to the tool. */
function addNameKey(store: TokenStore, name: string, start: number): number {
  // Of a plain identifier the last token is the key: the whole, or its only word.
  if (PLAIN_IDENTIFIER.test(name)) {
    const last = store.tokens[store.size - 1] ?? 0;
    if (store.size === start + 1 || (last & 3) === TokenKind.whole) {
      return last >>> 2;
    }
  }
  const key = nameKey(name);
  if (key === '') {
    return NO_LIST;
  }
  const term = store.terms.internText(key);
  for (let at = start; at < store.size; at += 1) {
    if ((store.tokens[at] ?? 0) >>> 2 === term) {
      return term;
    }
  }
  store.addTerm(term, TokenKind.whole);
  return term;
}

const PLAIN_IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/;

function countWords(tokens: Uint32Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (((tokens[at] ?? 0) & 3) === TokenKind.word) {
      count += 1;
    }
  }
  return count;
}

/** Per field, its average number of words; 1 where a field is always empty. */
export function averageFieldLengths(read: ReadTools): Float64Array {
  const averages = new Float64Array(FIELD_COUNT);
  for (let entry = 0; entry < read.fieldLengths.length; entry += 1) {
    const field = entry % FIELD_COUNT;
    averages[field] = (averages[field] ?? 0) + (read.fieldLengths[entry] ?? 0);
  }
  return averages.map((sum) => sum / Math.max(1, read.toolCount) || 1);
}

const FIELD_COUNT = BM25_FIELDS.length;
/** Tokens of a usual tool. */
const EXPECTED_TOKENS = 96;
