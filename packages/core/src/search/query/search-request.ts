import { QueryError, SettingError } from '../../errors.ts';
import { SEARCH_LIMITS } from '../searcher.ts';

/** What a search is asked, as far as its length goes. */
interface AskedQueries {
  readonly query: string | readonly string[];
  readonly maxQueryLength?: number | undefined;
}

/** Throws for a query that is longer than a search may be asked: cutting it would answer another question. */
export function checkQueries({ query, maxQueryLength = QUERY_LIMITS.characters }: AskedQueries): void {
  for (const text of typeof query === 'string' ? [query] : query) {
    // No text has more code points than code units: most need not be counted.
    if (text.length <= maxQueryLength || !isLonger(text, maxQueryLength)) continue;
    throw new QueryError(
      'query_too_long',
      `The query has more than ${maxQueryLength} characters, the limit of maxQueryLength; say in a sentence or a few words what the tool should do`,
      { context: { maxQueryLength } },
    );
  }
}

/** Whether a text has more code points than that. Reads no more of it than it has to. */
function isLonger(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isPair = isBetween(text.charCodeAt(at), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff);
    if (isPair) at += 1;
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function isBetween(code: number, least: number, most: number): boolean {
  return code >= least && code <= most;
}

/** Bounds on what one search reads. */
export const QUERY_LIMITS = {
  /** Code points of each query, where a request does not say otherwise; a longer one is refused. */
  characters: 4_096,
  /** Words of each query; what is beyond is left out. */
  words: 256,
  /** Queries of one call; the answer names those beyond, as `unasked`. */
  queries: 16,
} as const;

/** The queries that a search leaves out, as its answer tells of them; nothing where it answers all. */
export function unaskedQueries(query: string | readonly string[]): { readonly unasked?: readonly string[] } {
  if (typeof query === 'string' || query.length <= QUERY_LIMITS.queries) return {};
  return { unasked: query.slice(QUERY_LIMITS.queries) };
}

/** The number of hits that a request asks for, or the default. */
export function resolveLimit(limit: number | undefined): number {
  if (limit === undefined) return SEARCH_LIMITS.default;
  if (!Number.isInteger(limit) || limit < SEARCH_LIMITS.min || limit > SEARCH_LIMITS.max) {
    throw new SettingError(
      'invalid_limit',
      `Limit ${String(limit)} is not a whole number from ${SEARCH_LIMITS.min} to ${SEARCH_LIMITS.max}`,
      { context: { limit } },
    );
  }
  return limit;
}

/**
 * One list that serves several in turn: the first of each, the second of each, and so on. What is in already is passed
 * over, and its list gives the next one instead.
 */
export function takeTurns<Item>(
  lists: readonly (readonly Item[])[],
  limit: number,
  identify: (item: Item) => unknown,
): Item[] {
  const taken: Item[] = [];
  const seen = new Set<unknown>();
  const places = lists.map(() => 0);
  for (let isMore = true; isMore && taken.length < limit; ) {
    isMore = false;
    for (let turn = 0; turn < lists.length && taken.length < limit; turn += 1) {
      const list = lists[turn] ?? [];
      let place = places[turn] ?? 0;
      while (place < list.length && seen.has(identify(list[place] as Item))) {
        place += 1;
      }
      if (place < list.length) {
        const item = list[place] as Item;
        taken.push(item);
        seen.add(identify(item));
        isMore = true;
      }
      places[turn] = place + 1;
    }
  }
  return taken;
}
