import { addToList } from '../add-to-list.ts';
import { defined } from '../catalog/internal.ts';
import { memoized } from '../memoized.ts';
import { counted } from './text/shorten-text.ts';

/** What a conversation has shown so far, read from its messages. All names are those that the model sees. */
export interface Memory {
  /** Tools whose definitions the conversation has revealed, in discovery order, each once. */
  readonly revealed: readonly string[];
  /** Tools that were called, in the order of their first call, each once. */
  readonly called: readonly string[];
  /** Both of these, in the order in which each first appeared: a list of tools in this order only grows at its end. */
  readonly known: readonly string[];
  /** How often the conversation has progressed: every call to a real tool, and every user message. */
  readonly moves: number;
  /** The latest 500 searches, in order. */
  readonly searches: readonly PastSearch[];
}

/** One search that a conversation has made. */
export interface PastSearch {
  /** Several queries of one search are joined by a line feed. */
  readonly query: string;
  readonly found: number;
  /** The `moves` before this search, which distinguish a model that is stuck from a busy one. */
  readonly movesBefore: number;
  /** How many tools it asked for at most, if that is known. */
  readonly limit?: number;
  /** When it was made, on surfaces with a clock, which forget it after a while. */
  readonly atMs?: number;
}

/** One fact from the messages. Wires read facts; only this file decides what they add up to. */
export type Fact =
  | {
      readonly kind: 'searched';
      readonly queries: readonly string[];
      readonly names: readonly string[];
      readonly limit?: number;
      readonly atMs?: number;
    }
  | { readonly kind: 'revealed'; readonly names: readonly string[] }
  | { readonly kind: 'called'; readonly name: string }
  /** The user said something, so the search guard starts over. */
  | { readonly kind: 'asked' };

/** The memory of a conversation that has not begun. */
export const EMPTY_MEMORY: Memory = { revealed: [], called: [], known: [], moves: 0, searches: [] };

/**
 * Adds one fact. A pure fold: resuming a conversation continues the fold, forking it folds in two ways from the same value,
 * and compaction folds fewer facts.
 */
export function remember(memory: Memory, fact: Fact): Memory {
  switch (fact.kind) {
    case 'searched':
      return {
        ...reveal(memory, fact.names),
        searches: [
          ...memory.searches.slice(-MOST_SEARCHES + 1),
          {
            query: cutQuery(fact.queries.join('\n')),
            found: fact.names.length,
            movesBefore: memory.moves,
            ...defined({ limit: fact.limit, atMs: fact.atMs }),
          },
        ],
      };
    case 'revealed':
      return reveal(memory, fact.names);
    case 'called':
      return {
        ...memory,
        called: union(memory.called, [fact.name]),
        known: union(memory.known, [fact.name]),
        moves: memory.moves + 1,
      };
    case 'asked':
      return { ...memory, moves: memory.moves + 1 };
  }
}

function reveal(memory: Memory, names: readonly string[]): Memory {
  return { ...memory, revealed: union(memory.revealed, names), known: union(memory.known, names) };
}

/** Each search is compared with those before it, whenever its answer is rendered again. */
const MOST_SEARCHES = 500;

/** Enough to distinguish queries: a text too long for any search is not kept for the whole life of a connection. */
function cutQuery(query: string): string {
  return query.length <= MOST_QUERY_CHARACTERS
    ? query
    : `${query.slice(0, MOST_QUERY_CHARACTERS)}… (${query.length} characters)`;
}

const MOST_QUERY_CHARACTERS = 8_192;

/**
 * Drops old searches, for a connection that outlives its conversations. A search without a time is kept. The same memory if
 * nothing is dropped.
 */
export function forgetSearches(
  memory: Memory,
  { beforeMs, keep }: { readonly beforeMs: number; readonly keep: number },
): Memory {
  const recent = memory.searches.filter((search) => search.atMs === undefined || search.atMs >= beforeMs);
  const searches = recent.slice(Math.max(0, recent.length - keep));
  return searches.length === memory.searches.length ? memory : { ...memory, searches };
}

/** The same array if nothing is new, so that an unchanged memory can be recognized by identity. */
function union(known: readonly string[], names: readonly string[]): readonly string[] {
  const seen = sets.get(known) ?? new Set(known);
  const added: string[] = [];
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    added.push(name);
  }
  const list = added.length === 0 ? known : [...known, ...added];
  if (list.length > SHORT_LIST) {
    // The set goes on to the longer list: a fork that continues from the shorter one makes its own.
    sets.delete(known);
    sets.set(list, seen);
  }
  return list;
}

/** Long lists as sets: making one for each of thousands of calls would take seconds. */
const sets = new WeakMap<readonly string[], Set<string>>();
const SHORT_LIST = 100;

/** How well conversations use tools that they are not shown. */
export interface Reach {
  readonly conversations: number;
  /** Those in which the model searched at all. */
  readonly searched: number;
  /** Those in which a search found something. */
  readonly found: number;
  /** Those in which a real tool was called. */
  readonly called: number;
}

/**
 * Whether the model reaches deferred tools: a model that never searches never uses them, and no error says so. Computed from the
 * memories that wires recall, so that nothing has to be recorded: `measureReach(requests.map((one) => wire.recall(one, plan)))`. If few
 * conversations search and many call nothing, use pins, a listing or prefetch; if many search and few find something, improve the
 * descriptions.
 */
export function measureReach(memories: Iterable<Memory>): Reach {
  const reach = { conversations: 0, searched: 0, found: 0, called: 0 };
  for (const { searches, called } of memories) {
    reach.conversations += 1;
    if (searches.length > 0) reach.searched += 1;
    if (searches.some((search) => search.found > 0)) reach.found += 1;
    if (called.length > 0) reach.called += 1;
  }
  return reach;
}

/** A search that is about to run, or that has run. */
interface AskedSearch {
  readonly queries: readonly string[];
  readonly limit?: number;
  /** How many tools it found, once it has run: hints depend on it, refusals don't. */
  readonly found?: number;
}

/**
 * When a search gets a hint, and when it is refused. Each limit counts searches before the current one; those that
 * lead to a refusal count from the last tool call or user message, so that a new question can be searched for.
 */
export interface GuardLimits {
  /**
   * `stop` hints and then refuses. `stop-repeats` refuses only a search that was made before. `hint` refuses nothing.
   * `off` says nothing. @default 'stop'
   */
  readonly mode?: 'stop' | 'stop-repeats' | 'hint' | 'off';
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

/** The default limits of repeated searches. */
export const GUARD_DEFAULTS: Required<GuardLimits> = {
  mode: 'stop',
  repeatHint: 1,
  repeatStop: 3,
  fruitlessHint: 2,
  fruitlessStop: 5,
  idleHint: 8,
  idleStop: 20,
};

type Guard =
  | { readonly kind: 'fine' }
  | { readonly kind: 'hint'; readonly text: string }
  /** The search does not run: the text is the final answer. */
  | { readonly kind: 'stop'; readonly text: string };

/**
 * Whether a model is going round in circles, from its earlier searches. A pure function of the memory, so that a replayed
 * answer has the same hint. Refused searches don't count: they did not run.
 */
export function guardSearch(before: Memory, asked: AskedSearch, limits: GuardLimits = {}): Guard {
  const bounds = { ...GUARD_DEFAULTS, ...limits };
  if (bounds.mode === 'off') return { kind: 'fine' };
  const ran: Tally = { all: new Map(), recent: new Map(), made: 0, fruitless: 0, moves: 0 };
  for (const search of before.searches) {
    startAfresh(ran, search.movesBefore);
    if (search.found > 0 || judge(ran, search, bounds).kind !== 'stop') count(ran, search);
  }
  startAfresh(ran, before.moves);
  return judge(ran, { query: asked.queries.join('\n'), limit: asked.limit, found: asked.found }, bounds);
}

/** Counts of the searches that ran. */
interface Tally {
  /** By query. */
  readonly all: Map<string, Past[]>;
  /** The same since the conversation last progressed. */
  readonly recent: Map<string, Past[]>;
  made: number;
  /** How many of the last ones in a row found nothing. */
  fruitless: number;
  moves: number;
}

interface Past {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly found?: number | undefined;
}

function startAfresh(tally: Tally, moves: number): void {
  if (tally.moves === moves) return;
  tally.moves = moves;
  tally.made = 0;
  tally.fruitless = 0;
  tally.recent.clear();
}

function count(tally: Tally, search: PastSearch): void {
  const key = keyOf(search);
  for (const searches of [tally.all, tally.recent]) addToList(searches, key, search);
  tally.made += 1;
  tally.fruitless = search.found > 0 ? 0 : tally.fruitless + 1;
}

function judge(tally: Tally, asked: Past, bounds: Required<GuardLimits>): Guard {
  const { made, fruitless } = tally;
  const repeats = countRepeats(tally.all, asked);
  const recentRepeats = countRepeats(tally.recent, asked);
  const stops = bounds.mode === 'stop';
  const stopsRepeats = stops || bounds.mode === 'stop-repeats';
  if (stopsRepeats && recentRepeats >= bounds.repeatStop) {
    return { kind: 'stop', text: `This search was made ${counted(recentRepeats, 'time')} already. ${WAY_OUT}` };
  }
  if (stops && fruitless >= bounds.fruitlessStop) {
    return { kind: 'stop', text: `${lastSearches(fruitless)} found nothing. ${WAY_OUT}` };
  }
  if (stops && made >= bounds.idleStop) {
    return { kind: 'stop', text: `${searchesMade(made)} without calling a tool. ${WAY_OUT}` };
  }
  if (fruitless >= bounds.fruitlessHint && (asked.found ?? 0) === 0) {
    const end = stops ? `${bounds.fruitlessStop - fruitless} more and searching ends: use` : 'Use';
    return { kind: 'hint', text: `${lastSearches(fruitless)} found nothing. ${end} other words, or do without.` };
  }
  if (repeats >= bounds.repeatHint) {
    const urgency = stopsRepeats ? untilStop(recentRepeats, bounds.repeatStop) : '';
    const advice =
      asked.found === 0
        ? 'Search for something else, or do without'
        : 'Call one of the tools, or search for something else';
    return { kind: 'hint', text: `You made this search before${urgency}. ${advice}.` };
  }
  if (made >= bounds.idleHint) {
    return {
      kind: 'hint',
      text: `${searchesMade(made)} without calling a tool. Call one, or tell the user what is missing.`,
    };
  }
  return { kind: 'fine' };
}

/** A search that asks for more tools than before is not a repetition. */
function countRepeats(searches: ReadonlyMap<string, readonly Past[]>, asked: Past): number {
  const same = searches.get(keyOf(asked)) ?? [];
  return same.filter(({ limit }) => limit === undefined || asked.limit === undefined || asked.limit <= limit).length;
}

function lastSearches(times: number): string {
  return times === 1 ? 'The last search' : `The last ${times} searches`;
}

function searchesMade(times: number): string {
  return times === 1 ? '1 search was made' : `${times} searches were made`;
}

/** Nothing the first time, then how soon searching ends. */
function untilStop(times: number, stop: number): string {
  return times < 2 ? '' : `, ${times} times: ${stop - times} more and searching ends`;
}

/** Once per search: a replay compares all of them for each of them. Operators and patterns distinguish queries. */
const keyOf = memoized(({ query }: Past) =>
  query
    .toLowerCase()
    .replace(/[^\S\n]+/gu, ' ')
    .trim()
    .replace(/[.!?…]+$/u, ''),
);

const WAY_OUT = 'Do not search again: use a tool that you have, or tell the user that none fits.';
