import type { ToolTerms } from '@quartermaster/core/internal';
import { encodeText } from '../internal/columns.ts';
import { TERM } from './term-counts.ts';

/**
 * The lexemes of a tool in the full-text index. They begin with the number of its catalog, so that each catalog has its own lists
 * in the one index, and a search in one never reads those of another.
 */
export function markOf(catalog: number, term: string): string {
  return `${catalog.toString(36)}.${encodeText(term)}`;
}

/** A name's key as it is stored. */
export function storedKey(key: string): string {
  return encodeText(key.slice(0, LONGEST_KEY));
}

/** The tool's lexemes as a `tsvector` literal. The most distinctive words come first; what does not fit into a row is left out. */
export function writeMarks(catalog: number, { stems, nameStems, serverKey }: ToolTerms): string {
  const terms: string[] = [];
  if (serverKey !== '') terms.push(TERM.server(serverKey.slice(0, LONGEST_KEY)));
  for (const stem of nameStems) terms.push(TERM.nameStem(stem));
  for (const stem of stems) terms.push(TERM.stem(stem));
  const marks: string[] = [];
  let bytes = 0;
  for (const term of terms) {
    const mark = markOf(catalog, term);
    bytes += LEXEME_BYTES + Buffer.byteLength(mark);
    if (bytes > MOST_BYTES) break;
    marks.push(quoteMark(mark));
  }
  return marks.join(' ');
}

/** As it stands in literals of `tsvector` and `tsquery`. */
export function quoteMark(mark: string): string {
  return `'${mark.replace(/['\\]/g, '$&$&')}'`;
}

const LONGEST_KEY = 160;
/** A row has to fit into a page of 8 kB. */
const MOST_BYTES = 6_500;
/** What PostgreSQL stores with each. */
const LEXEME_BYTES = 4;
