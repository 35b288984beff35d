import { searchText, type Tool } from '../catalog/index.ts';
import { BM25_FIELDS } from './bm25/index.ts';
import { findSpokenNames } from './query/find-names.ts';
import { parseQuery, type QueryOperator, removeFiller, removeOperators } from './query/read-request.ts';
import { nameKey } from './text/characters.ts';
import { GRAMMAR, REQUEST_WORDS } from './text/function-words.ts';
import { stemWord } from './text/stem-word.ts';
import { TokenKind, tokenize } from './text/tokenize.ts';

/** What an engine outside the process needs from a query to find candidates. */
export interface CandidateQuery {
  /** Without operators and filler: the text of the vector. */
  readonly text: string;
  /** Each once, those of the text in its order. */
  readonly words: readonly CandidateWord[];
  /** Keys that may be names of tools; a tool that has one is a candidate. */
  readonly nameKeys: readonly string[];
  /** Whether the query is `select:` and names: nothing else is a candidate. */
  readonly isSelection: boolean;
  /** Keys of `server:` operators; a candidate belongs to one of these servers. */
  readonly serverKeys: readonly string[];
  /** Stems of `+word` operators; a candidate has all of them. */
  readonly requiredStems: readonly string[];
}

export interface CandidateWord {
  readonly word: string;
  readonly stem: string;
  /** Its weight before its rarity: less for a word that frames a request, least for a function word. */
  readonly weight: number;
}

/**
 * Reads a query. Whether an operator applies depends on the catalog: `resolves` says whether a tool satisfies it; one that no tool
 * satisfies is read as plain words.
 */
export function readCandidateQuery(query: string, resolves: (operator: QueryOperator) => boolean): CandidateQuery {
  const parsed = parseQuery(query);
  const applied = parsed.operators.filter(resolves);
  const servers = applied.filter(({ kind }) => kind === 'server');
  const rest = removeOperators(parsed.text, applied);
  // With a server and nothing else, the server's own name is searched.
  const whole = servers[0] !== undefined && nameKey(rest) === '' ? servers[0].value : rest;
  const text = removeFiller(whole);
  return {
    text,
    words: readWords(text),
    nameKeys: parsed.select.length > 0 ? parsed.select.flatMap(selectedKeys) : findSpokenNames(whole),
    isSelection: parsed.select.length > 0,
    serverKeys: servers.map(({ value }) => nameKey(value)),
    requiredStems: applied.flatMap(operatorStems),
  };
}

/** What looks like an operator in a query. */
export function readOperators(query: string): readonly QueryOperator[] {
  return parseQuery(query).operators;
}

/** The stems that a tool must contain to satisfy a `+word`; none for another operator. */
export function operatorStems({ kind, value }: QueryOperator): readonly string[] {
  if (kind !== 'required') return [];
  return tokenize(value).flatMap((token) => (token.kind === TokenKind.word ? [stemOf(token.text)] : []));
}

/** The keys of one name: whole, and without a possible server prefix. */
function selectedKeys(name: string): string[] {
  const key = nameKey(name);
  return key.startsWith('mcp') ? [key, key.slice('mcp'.length)] : [key];
}

function readWords(text: string): CandidateWord[] {
  const words = new Map<string, CandidateWord>();
  for (const { text: word, kind } of tokenize(text)) {
    if (kind === TokenKind.character || words.has(word)) continue;
    if (words.size === MOST_WORDS) break;
    words.set(word, { word, stem: kind === TokenKind.word ? stemOf(word) : word, weight: weightOf(word) });
  }
  return [...words.values()];
}

function weightOf(word: string): number {
  if (GRAMMAR.has(word)) return 0.05;
  if (REQUEST_WORDS.has(word)) return 0.4;
  return NUMBER.test(word) ? 0.3 : 1;
}

const NUMBER = /^\d+$/;
const MOST_WORDS = 256;

/** What an engine outside the process finds a tool by: the same words and stems as the index in memory. */
export interface ToolTerms {
  /** Each word as written, and whole identifiers. */
  readonly words: ReadonlySet<string>;
  /** The stem of each word, the most distinctive first: name, server, description, parameters. Whole identifiers are their own. */
  readonly stems: ReadonlySet<string>;
  /** Of its name alone. */
  readonly nameStems: ReadonlySet<string>;
  /** Keys of its name: alone and after its server's. */
  readonly nameKeys: readonly string[];
  readonly serverKey: string;
  /** How many words each field has, in the order of the index's fields. */
  readonly fieldLengths: readonly number[];
}

/** Reads a tool as the index in memory does. */
export function readToolTerms(tool: Tool): ToolTerms {
  const text = searchText(tool);
  const words = new Set<string>();
  const stems = new Set<string>();
  const nameStems = new Set<string>();
  const fieldLengths = BM25_FIELDS.map((field) => {
    const value = text[field];
    let length = 0;
    for (const part of typeof value === 'string' ? [value] : value) {
      for (const { text: word, kind } of tokenize(part)) {
        const isWord = kind === TokenKind.word;
        const stem = isWord ? stemOf(word) : word;
        words.add(word);
        stems.add(stem);
        if (field === 'name') nameStems.add(stem);
        if (isWord) length += 1;
      }
    }
    return length;
  });
  // A name without letters or digits is found by itself.
  const key = nameKey(tool.name) || tool.name.trim();
  const serverKey = nameKey(tool.server ?? '');
  const nameKeys = [key, serverKey + key].filter((one, at, all) => one !== '' && all.indexOf(one) === at);
  return { words, stems, nameStems, nameKeys, serverKey, fieldLengths };
}

/** The stems of a tool's name, for callers that need nothing else. */
export function readNameStems({ name }: Pick<Tool, 'name'>): readonly string[] {
  return tokenize(name).map(({ text, kind }) => (kind === TokenKind.word ? stemOf(text) : text));
}

/** Longer words are their own stems. */
const LONGEST_STEMMED = 24;

export function stemOf(word: string): string {
  if (word.length > LONGEST_STEMMED) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemWord(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** Most words of a catalog recur. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

/** A word of a query with its figures in the catalog. */
export interface WeighedWord {
  /** What a tool has that has the word anywhere. */
  readonly anywhere: string;
  /** What a tool has that has it in its name. */
  readonly inName: string;
  /** How many tools have it anywhere, and in their names. */
  readonly count: number;
  readonly nameCount: number;
  /** Its value: its weight in the query times its idf. */
  readonly value: number;
}

/** Marks that a tool must all have. */
export type Conjunction = readonly string[];

/**
 * Which tools can be the best for these words: those that have all marks of one of the conjunctions. As few of them as possible should
 * have to be compared: each word can be in a name, elsewhere, or nowhere; of all these combinations the best are taken, as long as at
 * most `budget` tools are likely to match one of them, and of those only what a tool must contain.
 *
 * A long request has rare words that say nothing about the tool (such as the text of a mail). Its words are taken a few at a time, the
 * most valuable first, and each group adds its own tools.
 */
export function chooseConjunctions(
  words: readonly WeighedWord[],
  { toolCount, budget }: { readonly toolCount: number; readonly budget: number },
): Conjunction[] {
  const known = words.filter(({ count }) => count > 0).sort((left, right) => right.value - left.value);
  const conjunctions: Conjunction[] = [];
  for (let start = 0; start < Math.min(known.length, MOST_GROUPS * WORDS_PER_GROUP); start += WORDS_PER_GROUP) {
    const group = known.slice(start, start + WORDS_PER_GROUP);
    const limits = start === 0 ? { budget, isNeeded: true } : { budget: budget * LATER_SHARE, isNeeded: false };
    conjunctions.push(...chooseAmong(group, { toolCount, ...limits }));
  }
  return conjunctions;
}

interface GroupLimits {
  readonly toolCount: number;
  readonly budget: number;
  /** Whether some tools have to be found, even if they exceed the budget. */
  readonly isNeeded: boolean;
}

function chooseAmong(
  chosen: readonly WeighedWord[],
  { toolCount, budget, isNeeded }: GroupLimits,
): readonly Conjunction[] {
  const combinations = combine(chosen, toolCount);
  combinations.sort((left, right) => right.value - left.value);
  let expected = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const { value, count } of combinations) {
    const enough = isNeeded ? (count > HUGE ? 1 : ENOUGH) : 0;
    if (value === 0 || (expected + count > budget && expected >= enough)) break;
    expected += count;
    least = value;
  }
  return combinations
    .filter(({ states, value }) => value >= least && isLeast(states, chosen, least))
    .map(({ states }) => states.flatMap((state, at) => markOf(state, chosen[at] as WeighedWord)));
}

/** 0: the word is nowhere; 1: anywhere; 2: in the name. */
type State = 0 | 1 | 2;

interface Combination {
  readonly states: readonly State[];
  readonly value: number;
  /** How many tools are likely to match, if words were independent. */
  readonly count: number;
}

function combine(words: readonly WeighedWord[], toolCount: number): Combination[] {
  let combinations: Combination[] = [{ states: [], value: 0, count: toolCount }];
  for (const word of words) {
    const inName = Math.min(1, word.nameCount / toolCount);
    const elsewhere = Math.min(1, Math.max(0, word.count - word.nameCount) / toolCount);
    const shares = [Math.max(0, 1 - inName - elsewhere), elsewhere, inName] as const;
    combinations = combinations.flatMap(({ states, value, count }) =>
      STATES.map((state) => ({
        states: [...states, state],
        value: value + worthOf(word, state),
        count: count * shares[state],
      })),
    );
  }
  return combinations;
}

/** Whether less would not do. */
function isLeast(states: readonly State[], words: readonly WeighedWord[], least: number): boolean {
  return states.every((state, at) => {
    if (state === 0) return true;
    const lower = states.map((other, place) => (place === at ? ((state - 1) as State) : other));
    // Added up in the same order as all values, so that equal sums are equal.
    return lower.reduce<number>((sum, one, place) => sum + worthOf(words[place] as WeighedWord, one), 0) < least;
  });
}

function worthOf({ value }: WeighedWord, state: State): number {
  return value * (SHARES[state] as number);
}

function markOf(state: State, { anywhere, inName }: WeighedWord): string[] {
  if (state === 0) return [];
  return [state === 1 ? anywhere : inName];
}

/** With fewer than this many likely tools, the next combination is taken even if it exceeds the budget… */
const ENOUGH = 8;
/** …unless so many match it that any of them would be as good as another. */
const HUGE = 16_000;
const STATES: readonly State[] = [0, 1, 2];
/** The value of a word that is nowhere, anywhere, in the name: about what BM25 gives it there. */
const SHARES = [0, 0.5, 0.8] as const;
/** Of one group: more words would make too many combinations. */
const WORDS_PER_GROUP = 5;
/** Words beyond these groups only count in the order of what is found. */
const MOST_GROUPS = 4;
/** The share of the budget of each group but the first. */
const LATER_SHARE = 0.5;
