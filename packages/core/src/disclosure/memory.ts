import { defined } from '../catalog/internal.ts';
import { counted } from './text/shorten-text.ts';

/** What a conversation has shown so far, read from its messages. All names are those that the model sees. */
export interface Memory {
  /** Tools whose definitions the conversation has revealed, in discovery order, each once. */
  readonly revealed: readonly string[];
  /** Tools that were called, in the order of their first call, each once. */
  readonly called: readonly string[];
  /** Both of these, in the order in which each first came up: a list of tools that is made in this order only grows at its end. */
  readonly known: readonly string[];
  /** How often the conversation has moved on: every call to a real tool, and every message of the user's. */
  readonly moves: number;
  /** Every search, in order. */
  readonly searches: readonly PastSearch[];
}

/** One search that a conversation has made. */
export interface PastSearch {
  /** Several queries of one search are joined by a line feed. */
  readonly query: string;
  readonly found: number;
  /** The `moves` before this search, which distinguish a stuck model from a busy one. */
  readonly movesBefore: number;
  /** How many tools it asked for at most, where that is known. */
  readonly limit?: number;
  /** When it was made, on surfaces with a clock: those forget it after a while. */
  readonly atMs?: number;
}

/** One thing that the messages say. A wire reads facts; what they add up to is decided here only. */
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
 * Adds one fact. A pure fold: resuming a conversation is folding on, forking it is folding two ways from the same value,
 * and compaction is folding fewer facts.
 */
export function remember(memory: Memory, fact: Fact): Memory {
  switch (fact.kind) {
    case 'searched':
      return {
        ...memory,
        revealed: union(memory.revealed, fact.names),
        known: union(memory.known, fact.names),
        searches: [
          ...memory.searches,
          {
            query: cutQuery(fact.queries.join('\n')),
            found: fact.names.length,
            movesBefore: memory.moves,
            ...defined({ limit: fact.limit, atMs: fact.atMs }),
          },
        ],
      };
    case 'revealed':
      return { ...memory, revealed: union(memory.revealed, fact.names), known: union(memory.known, fact.names) };
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

/** Enough to tell queries apart: a text that no search takes is not kept for as long as a connection lasts. */
function cutQuery(query: string): string {
  return query.length <= MOST_QUERY_CHARACTERS
    ? query
    : `${query.slice(0, MOST_QUERY_CHARACTERS)}… (${query.length} characters)`;
}

const MOST_QUERY_CHARACTERS = 8_192;

/**
 * Drops old searches, for a connection that outlives its conversations. A search without a time is kept. The same memory when
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

/** The same array when nothing is new, so that an unchanged memory can be recognised by identity. */
function union(known: readonly string[], names: readonly string[]): readonly string[] {
  const seen = new Set(known);
  const added: string[] = [];
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    added.push(name);
  }
  return added.length === 0 ? known : [...known, ...added];
}

/** How far conversations got with tools that they were not shown. */
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
 * Whether the model reaches what is deferred: a model that never searches never uses it, and no error says so. Made from the
 * memories that wires recall, so that nothing has to be recorded: `measureReach(requests.map((one) => wire.recall(one, plan)))`. Few
 * that searched among many that called nothing ask for pins, a listing or prefetch; many that searched and few that found, for
 * better descriptions.
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
  /** How many tools it found, once it has run: hints go by it, and what is refused does not. */
  readonly found?: number;
}

/**
 * From which point on searching is answered with a hint, and from which not at all. Each counts searches before the current one;
 * what leads to an end counts from the last call of a tool or message of the user's, so that a new question can be searched for.
 */
export interface GuardLimits {
  /**
   * `stop` hints and then refuses. `stop-repeats` refuses nothing but a search that was made before. `hint` refuses nothing.
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

/** When repeated searches are stopped, unless the options say otherwise. */
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
  /** The search is not run: the text is the final answer. */
  | { readonly kind: 'stop'; readonly text: string };

/**
 * Whether a model is going round in circles, from the searches before. A pure function of the memory, so that a replayed
 * answer carries the same hint. Searches that were refused don't count: they did not run.
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

/** What the searches that ran add up to. */
interface Tally {
  /** By query. */
  readonly all: Map<string, Past[]>;
  /** The same since the conversation last moved on. */
  readonly recent: Map<string, Past[]>;
  made: number;
  /** The last ones in a row that found nothing. */
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
  for (const map of [tally.all, tally.recent]) {
    const same = map.get(key);
    if (same === undefined) map.set(key, [search]);
    else same.push(search);
  }
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

/** Asking for more than an earlier search did is not asking the same again. */
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

/** Nothing the first time, and then how soon it ends. */
function untilStop(times: number, stop: number): string {
  return times < 2 ? '' : `, ${times} times: ${stop - times} more and searching ends`;
}

const known = new WeakMap<Past, string>();

/** Once for each search: a replay asks about all of them for each of them. Operators and patterns tell queries apart. */
function keyOf(search: Past): string {
  const key = known.get(search) ?? normalise(search.query);
  known.set(search, key);
  return key;
}

function normalise(query: string): string {
  return query
    .toLowerCase()
    .replace(/[^\S\n]+/gu, ' ')
    .trim()
    .replace(/[.!?…]+$/u, '');
}

const WAY_OUT = 'Do not search again: use a tool that you have, or tell the user that none fits.';
