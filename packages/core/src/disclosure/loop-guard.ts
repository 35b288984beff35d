import { counted } from './counted.ts';
import type { Memory, PastSearch } from './memory.ts';

/**
 * From which point on searching is answered with a hint, and from which not at all. Each counts searches before the current one;
 * what leads to an end counts from the last call of a tool or message of the user's, so that a new question can be searched for.
 */
export interface GuardLimits {
  /** The same query, anywhere in the conversation. @default 1 */
  readonly repeatHint?: number;
  /** The same query. @default 3 */
  readonly repeatStop?: number;
  /** Searches in a row that found nothing. @default 2 */
  readonly fruitlessHint?: number;
  /** @default 5 */
  readonly fruitlessStop?: number;
  /** Searches of any kind. @default 8 */
  readonly idleHint?: number;
  /** @default 20 */
  readonly idleStop?: number;
}

export const GUARD_DEFAULTS: Required<GuardLimits> = {
  repeatHint: 1,
  repeatStop: 3,
  fruitlessHint: 2,
  fruitlessStop: 5,
  idleHint: 8,
  idleStop: 20,
};

export type Guard =
  | { readonly kind: 'fine' }
  | { readonly kind: 'hint'; readonly text: string }
  /** The search is not run: the text is the final answer. */
  | { readonly kind: 'stop'; readonly text: string };

/**
 * Whether a model is going round in circles, from the searches before. A pure function of the memory, so that a replayed
 * answer carries the same hint.
 */
export function guardSearch(before: Memory, queries: readonly string[], limits: GuardLimits = {}): Guard {
  const bounds = { ...GUARD_DEFAULTS, ...limits };
  const query = normalise(queries.join('\n'));
  const recent = before.searches.filter((search) => search.movesBefore === before.moves);
  const isSame = (search: PastSearch): boolean => normalised(search) === query;
  const repeats = before.searches.filter(isSame).length;
  const recentRepeats = recent.filter(isSame).length;
  const fruitless = recent.length - 1 - recent.findLastIndex((search) => search.found > 0);

  if (recentRepeats >= bounds.repeatStop) {
    return {
      kind: 'stop',
      text: `This search was made ${counted(recentRepeats, 'time')} already. ${WAY_OUT}`,
    };
  }
  if (fruitless >= bounds.fruitlessStop) {
    return { kind: 'stop', text: `${lastSearches(fruitless)} found nothing. ${WAY_OUT}` };
  }
  if (recent.length >= bounds.idleStop) {
    return { kind: 'stop', text: `${searchesMade(recent.length)} without calling a tool. ${WAY_OUT}` };
  }
  if (fruitless >= bounds.fruitlessHint) {
    const left = bounds.fruitlessStop - fruitless;
    return {
      kind: 'hint',
      text: `${lastSearches(fruitless)} found nothing. ${left} more and searching ends: use other words, or do without.`,
    };
  }
  if (repeats >= bounds.repeatHint) {
    return {
      kind: 'hint',
      text: `You made this search before${urgency(recentRepeats, bounds.repeatStop)}. Call one of the tools, or search for something else.`,
    };
  }
  if (recent.length >= bounds.idleHint) {
    return {
      kind: 'hint',
      text: `${searchesMade(recent.length)} without calling a tool. Call one, or tell the user what is missing.`,
    };
  }
  return { kind: 'fine' };
}

function lastSearches(count: number): string {
  return count === 1 ? 'The last search' : `The last ${count} searches`;
}

function searchesMade(count: number): string {
  return count === 1 ? '1 search was made' : `${count} searches were made`;
}

/** Nothing the first time, and then how soon it ends. */
function urgency(times: number, stop: number): string {
  return times < 2 ? '' : `, ${times} times: ${stop - times} more and searching ends`;
}

const known = new WeakMap<PastSearch, string>();

/** Once for each search: a replay asks about all of them for each of them. */
function normalised(search: PastSearch): string {
  const query = known.get(search) ?? normalise(search.query);
  known.set(search, query);
  return query;
}

function normalise(query: string): string {
  return query
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\n]+/gu, ' ')
    .trim();
}

const WAY_OUT = 'Do not search again: use a tool that you have, or tell the user that none fits.';
