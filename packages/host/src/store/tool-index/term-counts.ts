import type { ToolTerms } from '@quartermaster/core/internal';
import { numberOf, textOf } from '../internal/columns.ts';
import { chunks, type Statements } from '../internal/sql.ts';
import { numberArray, textArray } from './index-context.ts';

/**
 * What is counted in a catalog, each kind with its own prefix letter: stems anywhere and in names, words that differ from their
 * stems, and servers. Those that a search looks for are also marks of the tools (see `tool-marks.ts`).
 */
export const TERM = {
  stem: (stem: string): string => `s${stem}`,
  nameStem: (stem: string): string => `n${stem}`,
  word: (word: string): string => `w${word}`,
  server: (key: string): string => `v${key}`,
} as const;

/** The counts that a tool is part of. */
export function countedTerms({ words, stems, nameStems, serverKey }: ToolTerms): Iterable<string> {
  const terms: string[] = [];
  for (const stem of stems) terms.push(TERM.stem(stem));
  for (const stem of nameStems) terms.push(TERM.nameStem(stem));
  for (const word of words) if (!stems.has(word)) terms.push(TERM.word(word));
  if (serverKey !== '') terms.push(TERM.server(serverKey.slice(0, LONGEST_KEY)));
  return terms;
}

/** Of a server's key. */
const LONGEST_KEY = 160;

export async function countTerms(
  statements: Statements,
  catalog: number,
  terms: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (terms.length === 0) return new Map();
  const rows = await statements.all(
    'SELECT term, tools FROM tool_terms WHERE catalog = ? AND term = ANY(?::text[]) AND tools > 0',
    [catalog, textArray(terms)],
  );
  return new Map(rows.map((row) => [textOf(row, 'term'), numberOf(row, 'tools')]));
}

/** Sorted, so that two writers can't deadlock. */
export async function addCounts(
  statements: Statements,
  catalog: number,
  changes: ReadonlyMap<string, number>,
): Promise<void> {
  const terms = [...changes].filter(([, change]) => change !== 0).sort(([left], [right]) => (left < right ? -1 : 1));
  for (const some of chunks(terms, TERMS_PER_STATEMENT)) {
    await statements.run(
      `INSERT INTO tool_terms AS known (catalog, term, tools)
       SELECT ?::int, term, tools FROM unnest(?::text[], ?::bigint[]) AS added (term, tools)
       ON CONFLICT (catalog, term) DO UPDATE SET tools = known.tools + excluded.tools`,
      [catalog, textArray(some.map(([term]) => term)), numberArray(some.map(([, change]) => change))],
    );
  }
}

const TERMS_PER_STATEMENT = 20_000;

/** Terms that differ from this one in one letter: inserted, omitted, changed, or swapped with its neighbour. The first letter stays. */
export async function findSimilarTerms(
  statements: Statements,
  catalog: number,
  term: string,
): Promise<readonly string[]> {
  if (!MISSPELT.test(term)) return [];
  const counts = await countTerms(statements, catalog, oneLetterAway(term));
  return [...counts]
    .sort(([left, some], [right, others]) => others - some || (left < right ? -1 : 1))
    .slice(0, MOST_SIMILAR)
    .map(([similar]) => similar);
}

/** @param term with the letter of its kind, which also stays */
function oneLetterAway(term: string): string[] {
  const found = new Set<string>();
  for (let at = FIRST_CHANGED; at <= term.length; at += 1) {
    const [before, after] = [term.slice(0, at), term.slice(at + 1)];
    if (at < term.length) found.add(before + after);
    if (at + 1 < term.length) found.add(before + term.charAt(at + 1) + term.charAt(at) + term.slice(at + 2));
    for (const letter of LETTERS) {
      if (at < term.length) found.add(before + letter + after);
      found.add(before + letter + term.slice(at));
    }
  }
  found.delete(term);
  return [...found];
}

/** After the letter of the kind and the first of the word. */
const FIRST_CHANGED = 2;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Shorter words have too many neighbours. */
const MISSPELT = /^.[a-z]{5,24}$/;
const MOST_SIMILAR = 3;
