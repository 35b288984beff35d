import type { Snapshot, Tool } from '../../catalog/index.ts';
import { QueryError, SettingError } from '../../errors.ts';
import { codePointLength } from '../regex/parse/pattern-source.ts';
import { SEARCH_LIMITS, type SearchRequest } from '../searcher.ts';

/**
 * How many hits a request asks for. Throws if it is aborted, if that is out of range, and if a query is too long: cutting it would
 * answer another question.
 */
export function checkRequest(request: SearchRequest): number {
  const { signal, maxQueryLength = QUERY_LIMITS.characters } = request;
  signal?.throwIfAborted();
  const limit = resolveLimit(request.limit);
  if (allQueries(request).some((query) => hasMoreCharacters(query, maxQueryLength))) {
    throw new QueryError(
      'query_too_long',
      `The query has more than ${maxQueryLength} characters, the limit of maxQueryLength (limits.queryLength); say in a sentence or a few words what the tool should do`,
      { context: { maxQueryLength } },
    );
  }
  return limit;
}

/** The queries that a search runs. */
export function queriesOf(request: Pick<SearchRequest, 'query'>): readonly string[] {
  return allQueries(request).slice(0, QUERY_LIMITS.queries);
}

function allQueries({ query }: Pick<SearchRequest, 'query'>): readonly string[] {
  return typeof query === 'string' ? [query] : query;
}

/** Which tools, by their place in the catalog, a request may return; undefined for all. */
export function acceptOf(
  { allow }: SearchRequest,
  { tools }: Pick<Snapshot, 'tools'>,
): ((tool: number) => boolean) | undefined {
  return allow === undefined ? undefined : (tool) => allow(tools[tool] as Tool);
}

/** Whether a text has more code points than that. Reads no more of it than it has to: a code point has two code units at most. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > most && codePointLength(text.slice(0, 2 * most + 1)) > most;
}

/** The limits of one search. */
export const QUERY_LIMITS = {
  /** Code points of each query, unless a request says otherwise; a longer one is rejected. */
  characters: 4_096,
  /** Words of each query; the rest is ignored. */
  words: 256,
  /** Queries of one call; the answer lists the others as `unasked`. */
  queries: 16,
} as const;

/** The queries that a search leaves out, for its answer; nothing if it answers all. */
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
 * One list that serves several in turn: the first of each, the second of each, and so on. A tool that is already in is skipped, and
 * its list supplies the next one.
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
      while (place < list.length && seen.has(identify(list[place] as Item))) place += 1;
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

/** An entry of the final list, and the list that it is from. */
export interface Served<List extends Ranked> {
  readonly ranking: List['rankings'][number];
  readonly served: List;
}

/** One query's tools, best first. */
interface Ranked {
  readonly rankings: readonly { readonly tool: number }[];
}

/** One list that serves each query in turn. */
export function serveInTurn<List extends Ranked>(lists: readonly List[], limit: number): Served<List>[] {
  return takeTurns(lists.map(entriesOf), limit, ({ ranking }) => ranking.tool);
}

export function entriesOf<List extends Ranked>(served: List): Served<List>[] {
  return served.rankings.map((ranking) => ({ ranking, served }));
}
