import {
  type CandidateQuery,
  type CandidateWord,
  chooseConjunctions,
  nameKey,
  operatorStems,
  type QueryOperator,
  readCandidateQuery,
  readOperators,
  stemOf,
  type WeighedWord,
} from '@quartermaster/core/internal';
import { type CandidatePlan, type CatalogFigures, TERM, type ToolIndex } from '../../store/index.ts';

/** What candidates are planned with. */
export interface PlanParts {
  readonly index: ToolIndex;
  readonly catalog: CatalogFigures;
  readonly terms: TermCache;
}

export interface PlanOptions {
  /** See `CandidatePlan`. */
  readonly depth: number;
  /** Whether operators in the query are applied. */
  readonly hasOperators: boolean;
}

/** About how many tools with matching words are ordered. */
const BUDGET = 800;
/** How many words of a query determine the order. */
const MOST_VALUES = 20;

/** Which tools a query is ranked over. */
export async function planCandidates(
  query: string,
  parts: PlanParts,
  { depth, hasOperators }: PlanOptions,
): Promise<CandidatePlan> {
  const { index, catalog, terms } = parts;
  const resolves = hasOperators ? await operatorTest(query, terms) : () => false;
  const read = readCandidateQuery(query, resolves);
  const filter = {
    anyOf: read.serverKeys.map(TERM.server),
    allOf: read.requiredStems.map(TERM.stem),
  };
  const nothing = { conjunctions: [], values: [], vector: undefined, depth };
  if (read.isSelection) return { ...nothing, ...filter, nameKeys: read.nameKeys };
  const { words, text } = await readWords(read, parts);
  const weighed = words.map((word) => weigh(word, parts)).filter(({ count }) => count > 0);
  const subjects = weighed.filter(({ isGrammar }) => !isGrammar);
  const known = subjects.length > 0 ? subjects : weighed;
  known.sort((left, right) => right.value - left.value);
  const vector = words.length === 0 ? undefined : index.embedder.query(text);
  return {
    ...{ ...filter, depth, nameKeys: read.nameKeys },
    conjunctions: chooseConjunctions(known, { toolCount: catalog.toolCount, budget: BUDGET * depth }),
    values: known
      .slice(0, MOST_VALUES)
      .flatMap(({ anywhere, inName, value }) => [
        [anywhere, value * VALUES.anywhere] as const,
        [inName, value * VALUES.inName] as const,
      ]),
    vector: vector?.some((component) => component !== 0) === true ? vector : undefined,
  };
}

/** The weight of a word that a tool contains, and the extra weight if its name contains it. */
const VALUES = { anywhere: 0.5, inName: 0.3 } as const;

async function operatorTest(query: string, terms: TermCache): Promise<(operator: QueryOperator) => boolean> {
  const operators = readOperators(query);
  await terms.load(operators.flatMap(operatorTerms));
  return (operator) => {
    const needed = operatorTerms(operator);
    return needed.length > 0 && needed.every((term) => (terms.count(term) ?? 0) > 0);
  };
}

function operatorTerms(operator: QueryOperator): string[] {
  if (operator.kind === 'server') return [TERM.server(nameKey(operator.value))];
  return operatorStems(operator).map(TERM.stem);
}

interface SpeltWords {
  readonly words: readonly CandidateWord[];
  /** With misspelled words corrected. */
  readonly text: string;
}

/** The words of a query, and substitutes for those that are not in the catalog. */
async function readWords({ words, text }: CandidateQuery, parts: PlanParts): Promise<SpeltWords> {
  const { terms, index, catalog } = parts;
  const joined = words.flatMap(({ word, weight }, at) => {
    const next = words[at + 1];
    if (next === undefined || weight < LEAST_JOINED || next.weight < LEAST_JOINED) return [];
    return [candidate(word + next.word, COMPOUND_WEIGHT)];
  });
  await terms.load([...words, ...joined].flatMap(termsOf));
  const known = [...words, ...joined.filter((word) => isKnown(word, terms))];
  const unknown = words.length > MOST_WITH_TYPOS ? [] : words.filter((word) => !isKnown(word, terms));
  let spelt = text;
  for (const { word, weight } of unknown) {
    const halves = await splitWord(word, terms);
    if (halves.length > 0) {
      known.push(...halves.map((half) => candidate(half, weight * COMPOUND_WEIGHT)));
      continue;
    }
    const similar = [
      ...(await index.findSimilarTerms(catalog, TERM.word(word))),
      ...(await index.findSimilarTerms(catalog, TERM.stem(word))),
    ].map((term) => candidate(term.slice(1), weight * TYPO_WEIGHT));
    await terms.load(similar.flatMap(termsOf));
    known.push(...similar);
    const [meant] = similar;
    if (meant !== undefined && !index.embedder.knows(word)) spelt = replaceWord(spelt, word, meant.word);
  }
  return { words: known, text: spelt };
}

function candidate(word: string, weight: number): CandidateWord {
  return { word, stem: stemOf(word), weight };
}

function isKnown({ stem, word }: CandidateWord, terms: TermCache): boolean {
  return (terms.count(TERM.stem(stem)) ?? 0) + (terms.count(TERM.word(word)) ?? 0) > 0;
}

/** The two known words that a word is made of (`webpage`), at the split whose rarer half is the most common. */
async function splitWord(word: string, terms: TermCache): Promise<readonly string[]> {
  if (!LETTERS.test(word)) return [];
  const splits = Array.from({ length: word.length - 2 * SHORTEST_HALF + 1 }, (_, at) => {
    return [word.slice(0, at + SHORTEST_HALF), word.slice(at + SHORTEST_HALF)] as const;
  });
  const countOf = (half: string): number => terms.count(TERM.stem(stemOf(half))) ?? 0;
  await terms.load(splits.flat().map((half) => TERM.stem(stemOf(half))));
  let [best, most]: [readonly string[], number] = [[], 0];
  for (const split of splits) {
    const count = Math.min(...split.map(countOf));
    if (count > most) [best, most] = [split, count];
  }
  return best;
}

function replaceWord(text: string, word: string, by: string): string {
  return text.replace(WORD, (one) => (one.toLowerCase() === word ? by : one));
}

interface Weighed extends WeighedWord {
  readonly isGrammar: boolean;
}

function weigh({ word, stem, weight }: CandidateWord, { terms, catalog }: PlanParts): Weighed {
  const count = Math.max(terms.count(TERM.stem(stem)) ?? 0, terms.count(TERM.word(word)) ?? 0);
  return {
    anywhere: TERM.stem(stem),
    inName: TERM.nameStem(stem),
    count,
    nameCount: terms.count(TERM.nameStem(stem)) ?? 0,
    value: weight * Math.log(1 + (catalog.toolCount - count + 0.5) / (count + 0.5)),
    isGrammar: weight < LEAST_SUBJECT,
  };
}

/** The counts that a word needs. */
export function termsOf({ word, stem }: Pick<CandidateWord, 'word' | 'stem'>): string[] {
  return [TERM.stem(stem), TERM.nameStem(stem), TERM.word(word)];
}

/** With the weights of the index in memory. */
const COMPOUND_WEIGHT = 0.5;
const TYPO_WEIGHT = 0.4;
const MOST_WITH_TYPOS = 16;
/** A function word counts less. */
const LEAST_SUBJECT = 0.1;
const LEAST_JOINED = 0.1;
const SHORTEST_HALF = 3;
const LETTERS = /^[a-z]{6,32}$/;
const WORD = /[\p{L}\p{N}]+/gu;

/** How many tools have each requested term, in the current state of a catalog. Limited: a catalog may have a million words. */
export class TermCache {
  readonly #index: ToolIndex;
  readonly #catalog: CatalogFigures;
  readonly #counts = new Map<string, number>();

  constructor(index: ToolIndex, catalog: CatalogFigures) {
    this.#index = index;
    this.#catalog = catalog;
  }

  /** Makes sure that {@link count} knows these. */
  async load(terms: Iterable<string>): Promise<void> {
    const missing = [...new Set(terms)].filter((term) => !this.#counts.has(term));
    if (missing.length === 0) return;
    const found = await this.#index.countTerms(this.#catalog, missing);
    if (this.#counts.size + missing.length > MOST_TERMS) this.#counts.clear();
    for (const term of missing) this.#counts.set(term, found.get(term) ?? 0);
  }

  /** 0 for one that no tool has, undefined for one that was not loaded. */
  count(term: string): number | undefined {
    return this.#counts.get(term);
  }
}

const MOST_TERMS = 20_000;
