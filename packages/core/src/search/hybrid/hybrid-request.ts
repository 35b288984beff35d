import type { Bm25Index, QueryPlan, QueryRanker, QueryRanking } from '../bm25/index.ts';
import { type QueryVector, type StaticEmbedder, toQueryVector } from '../semantic/index.ts';
import { FUNCTION_WORDS, foldText } from '../text/index.ts';

/** A request as the ranker sees it. */
export interface HybridRequest {
  /** Without its operators, misspelt words put right. */
  readonly text: string;
  readonly vector: QueryVector;
  /** How much of the request, by idf, the catalog has words for. */
  readonly knownShare: number;
  /** Empty for a request of one clause. */
  readonly clauses: readonly RequestClause[];
}

export interface RequestClause {
  readonly text: string;
  readonly plan: QueryPlan;
  readonly vector: QueryVector;
}

export interface RequestReaders {
  readonly ranker: QueryRanker;
  readonly embedder: StaticEmbedder;
}

export function readRequest({ text, plan }: QueryRanking, { ranker, embedder }: RequestReaders): HybridRequest {
  const spelt = readSpelling(plan, ranker.index, embedder);
  const corrected =
    spelt.size === 0 ? text : text.replace(WORD, (word) => spelt.get(foldText(word).toLowerCase()) ?? word);
  const hasMeaning = plan.hasKnownWord || knowsSome(corrected, embedder);
  return {
    text: corrected,
    vector: toQueryVector(hasMeaning ? embedder.query(corrected) : new Float32Array(embedder.dimensions)),
    knownShare: knownShare(plan, spelt, ranker.index.catalogSize),
    clauses: (plan.hasWords ? splitClauses(corrected) : []).map((clause) => ({
      text: clause,
      plan: ranker.plan(clause),
      vector: toQueryVector(embedder.query(clause)),
    })),
  };
}

/**
 * Misspelt words as the catalog spells them: those that neither the catalog nor the embedder knows. One that no tool has is put right where
 * the embedder knows it with two letters in the other order, or with a letter once that is written twice.
 */
function readSpelling(
  { lists, unknown }: QueryPlan,
  { terms }: Bm25Index,
  embedder: StaticEmbedder,
): Map<string, string> {
  const best = new Map<string, { readonly list: number; readonly weight: number }>();
  for (const { list, reasons } of lists) {
    for (const { word, match, weight } of reasons) {
      // Lists beyond the terms are those of stems, which are no words.
      if (match !== 'typo' || list >= terms.size || embedder.knows(word)) continue;
      if (weight > (best.get(word)?.weight ?? 0)) best.set(word, { list, weight });
    }
  }
  const spelt = new Map([...best].map(([word, { list }]) => [word, terms.text(list)]));
  for (const word of unknown) {
    const meant = spelt.has(word) || embedder.knows(word) ? undefined : knownSpelling(word, embedder);
    if (meant !== undefined) spelt.set(word, meant);
  }
  return spelt;
}

function knownSpelling(word: string, embedder: StaticEmbedder): string | undefined {
  if (!MISSPELT.test(word)) return undefined;
  for (let at = 0; at + 1 < word.length; at += 1) {
    const [first, second] = [word.charAt(at), word.charAt(at + 1)];
    const middle = first === second ? first : second + first;
    const other = word.slice(0, at) + middle + word.slice(at + 2);
    if (embedder.knows(other)) return other;
  }
  return undefined;
}

/** How much of a request the catalog has words for. One that no tool has weighs as if it were the rarest in the catalog. */
function knownShare({ mass, unknown }: QueryPlan, spelt: ReadonlyMap<string, string>, toolCount: number): number {
  if (mass === 0) return 0;
  const strange = unknown.filter((word) => !GRAMMAR.has(word) && !NUMBER.test(word) && !spelt.has(word));
  return mass / (mass + strange.length * Math.log(1 + toolCount));
}

/**
 * Whether the embedder knows a single word. What it must read in parts throughout ("zzzz qqqq") has a vector all the same, which
 * is near to something by chance alone.
 */
function knowsSome(text: string, embedder: StaticEmbedder): boolean {
  const words = foldText(text).toLowerCase().match(WORD) ?? [];
  return words.some((word) => UNSPACED.test(word) || embedder.knows(word));
}

const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);
const NUMBER = /^\d+$/;
/** Shorter words are others with any letter in another place, and names of products. */
const MISSPELT = /^[a-z]{6,24}$/;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts in which the embedder looks for words inside a run of letters, or for the beginning of one. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/u;

/**
 * The clauses of a request that asks for several things: its sentences, and what "and", "then" and "also" join. Empty for
 * a request of one clause. Fragments of one or two words are not clauses: they say too little on their own.
 */
export function splitClauses(text: string): string[] {
  const clauses = text.split(SENTENCE_END).flatMap(splitSentence).slice(0, MOST_CLAUSES);
  return clauses.length > 1 ? clauses : [];
}

/** What "and" joins where that are several clauses; else the whole, since "the name and age of a user" is one thing. */
function splitSentence(sentence: string): string[] {
  const parts = sentence.split(JOINT).filter(hasWords);
  return (parts.length > 1 ? parts : [sentence].filter(hasWords)).map((clause) => clause.trim());
}

function hasWords(clause: string): boolean {
  if (CJK.test(clause)) return clause.trim().length >= LEAST_CJK;
  let words = 0;
  for (const _ of clause.matchAll(/\S+/g)) words += 1;
  return words >= LEAST_WORDS;
}

const LEAST_WORDS = 3;
/** Characters of Chinese or Japanese that say about as much as three words. */
const LEAST_CJK = 5;
/** More than people ask for in one message; each costs some time. */
const MOST_CLAUSES = 16;
/** A full stop inside a number or an address ends nothing. */
const SENTENCE_END = /[.?!;]+(?=\s|$)|[\n。？！；]+|,? (?:and then|and also|then|also) /i;
const JOINT = /,? and /i;
const CJK = /[\u3040-\u30ff\u3400-\u9fff]/;
