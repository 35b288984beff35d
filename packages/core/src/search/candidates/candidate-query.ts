import { findSpokenNames, parseQuery, type QueryOperator, removeFiller, removeOperators } from '../query/index.ts';
import { FUNCTION_WORDS, nameKey, REQUEST_WORDS, TokenKind, tokenize } from '../text/index.ts';
import { stemOf } from './tool-terms.ts';

/** What an engine outside the process needs of a query to find candidates. */
export interface CandidateQuery {
  /** Without operators and filler: what a vector is made of. */
  readonly text: string;
  /** Each once, those of the text in its order. */
  readonly words: readonly CandidateWord[];
  /** Keys that may be those of tools' names; a tool that has one is a candidate. */
  readonly nameKeys: readonly string[];
  /** Whether the query is `select:` and names: nothing else is a candidate. */
  readonly isSelection: boolean;
  /** Keys of `server:` operators; a candidate is of one of these servers. */
  readonly serverKeys: readonly string[];
  /** Stems of `+word` operators; a candidate has all of them. */
  readonly requiredStems: readonly string[];
}

export interface CandidateWord {
  readonly word: string;
  readonly stem: string;
  /** What it counts before its rarity: less for a word that frames a request, least for a function word. */
  readonly weight: number;
}

/**
 * Reads a query. Whether an operator is one depends on the catalog: `resolves` says whether a tool satisfies it; one that no tool
 * satisfies is read as plain words.
 */
export function readCandidateQuery(query: string, resolves: (operator: QueryOperator) => boolean): CandidateQuery {
  const parsed = parseQuery(query);
  const applied = parsed.operators.filter(resolves);
  const servers = applied.filter(({ kind }) => kind === 'server');
  const rest = removeOperators(parsed.text, applied);
  // With a server and nothing else, its own name is what is looked for.
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

/** The stems that a tool must have to satisfy a `+word`; none for another operator. */
export function operatorStems({ kind, value }: QueryOperator): readonly string[] {
  if (kind !== 'required') return [];
  return tokenize(value).flatMap((token) => (token.kind === TokenKind.word ? [stemOf(token.text)] : []));
}

/** Those of one name: alone, and without what may stand before a server's name. */
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

const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);
const NUMBER = /^\d+$/;
const MOST_WORDS = 256;
