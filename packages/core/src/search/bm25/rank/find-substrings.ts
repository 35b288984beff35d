import { nameKey } from '../../text/characters.ts';
import { MOST_TOOLS } from '../bm25-options.ts';
import { type Bm25Index, NO_LIST } from '../index/bm25-index.ts';
import { encodeTerm } from '../index/term-table.ts';

/** A tool whose name contains something of a query, and how much of the name that is (0 to 1, added up over the query's words). */
export interface SubstringMatch {
  readonly tool: number;
  readonly share: number;
}

/**
 * The tools whose names contain the query or, if there are none, any word of it, ignoring case and punctuation; the best
 * covered first. Examines every name, so it is meant for queries none of whose words are in the catalog. The names are read where
 * they are in the index: strings of 100,000 names would take longer to make than to search.
 */
export function findSubstrings(
  text: string,
  index: Bm25Index,
  { accept, count }: { readonly accept?: ((tool: number) => boolean) | undefined; readonly count: number },
): SubstringMatch[] {
  const whole = nameKey(text);
  if (whole === '') return [];
  const parts = [...new Set(text.split(/\s+/).map(nameKey))].filter((part) => part.length >= SHORTEST_PART);
  const { shares, order } = matchNames(index, [whole, ...parts.slice(0, MOST_PARTS)], accept);
  const best = order.subarray(Math.max(0, order.length - count)).reverse();
  return Array.from(best, (packed) => {
    const tool = MOST_TOOLS - 1 - (packed % MOST_TOOLS);
    return { tool, share: shares[tool] ?? 0 };
  });
}

interface NameMatches {
  /** For each tool, how much of its name matches. */
  readonly shares: Float64Array;
  /** The tools that match, the best last: share and tool as one number, because numbers are sorted several times faster. */
  readonly order: Float64Array;
}

/** The names that contain the first text or, if there are none, any of the others. */
function matchNames(
  { data }: Bm25Index,
  texts: readonly string[],
  accept: ((tool: number) => boolean) | undefined,
): NameMatches {
  const { nameTerms, terms } = data;
  const { bytes, starts } = terms;
  const search = searchFor(texts);
  const shares = new Float64Array(nameTerms.length);
  const order = new Float64Array(nameTerms.length);
  let size = 0;
  let wanted = -1;
  for (let tool = 0; tool < nameTerms.length; tool += 1) {
    const term = nameTerms[tool] ?? NO_LIST;
    if (term === NO_LIST) continue;
    const start = starts[term] ?? 0;
    const end = starts[term + 1] ?? 0;
    const found = textsIn(bytes, start, end, search) & wanted;
    if (found === 0 || accept?.(tool) === false) continue;
    if ((found & WHOLE) !== 0 && wanted !== WHOLE) {
      wanted = WHOLE;
      size = 0;
    }
    const share = lengthOfAll(texts, found & wanted) / lengthOf(bytes, start, end);
    shares[tool] = share;
    order[size++] = Math.round(share * SHARE_SCALE) * MOST_TOOLS + (MOST_TOOLS - 1 - tool);
  }
  return { shares, order: order.subarray(0, size).sort() };
}

/** The first text. */
const WHOLE = 1;

function lengthOfAll(texts: readonly string[], found: number): number {
  let length = 0;
  for (let at = 0; at < texts.length; at += 1) length += (found & (1 << at)) === 0 ? 0 : (texts[at]?.length ?? 0);
  return length;
}

interface ByteSearch {
  readonly texts: readonly Uint8Array[];
  /** For each byte, the texts that begin with it, one bit each. */
  readonly beginning: Uint32Array;
}

function searchFor(texts: readonly string[]): ByteSearch {
  const beginning = new Uint32Array(256);
  const encoded = texts.map(encodeTerm);
  encoded.forEach((text, at) => {
    const first = text[0] ?? 0;
    beginning[first] = (beginning[first] ?? 0) | (1 << at);
  });
  return { texts: encoded, beginning };
}

/** Which of the texts a name contains, one bit each. */
function textsIn(bytes: Uint8Array, start: number, end: number, { texts, beginning }: ByteSearch): number {
  let found = 0;
  for (let at = start; at < end; at += 1) {
    let possible = (beginning[bytes[at] ?? 0] ?? 0) & ~found;
    while (possible !== 0) {
      const text = 31 - Math.clz32(possible);
      if (isAt(bytes, at, end, texts[text] as Uint8Array)) found |= 1 << text;
      possible ^= 1 << text;
    }
  }
  return found;
}

function isAt(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (text.length > end - start) return false;
  for (let at = 1; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false;
  return true;
}

/** In UTF-16 units: all bytes but those that continue one. */
function lengthOf(bytes: Uint8Array, start: number, end: number): number {
  let length = 0;
  for (let at = start; at < end; at += 1) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) length += 1;
  return length;
}

const SHORTEST_PART = 2;
const MOST_PARTS = 16;

/** Shares are at most 16. Two that differ do so by 1 / 65,536 or more, because no key is longer than 256 characters. */
const SHARE_SCALE = 2 ** 24;
