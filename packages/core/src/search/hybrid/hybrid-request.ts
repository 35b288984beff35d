import { type Bm25Index, NO_LIST, type QueryPlan, type QueryRanker, type QueryRanking } from '../bm25/index.ts';
import { type QueryVector, type StaticEmbedder, toQueryVector } from '../semantic/index.ts';
import { FUNCTION_WORDS, foldText, nameKey, scanTokens, TokenKind } from '../text/index.ts';
import { splitClauses } from './split-clauses.ts';

/** A request as the ranker sees it. */
export interface HybridRequest {
  /** Without its operators, misspelt words put right. */
  readonly text: string;
  readonly key: string;
  readonly vector: QueryVector;
  /** How much of the request, by idf, the catalog has words for. */
  readonly knownShare: number;
  /** Empty for a request of one clause. */
  readonly clauses: readonly RequestClause[];
}

export interface RequestClause {
  readonly plan: QueryPlan;
  readonly vector: QueryVector;
}

export interface RequestReaders {
  readonly ranker: QueryRanker;
  readonly embedder: StaticEmbedder;
}

/** @param text the request without its operators */
export function readRequest(text: string, lexical: QueryRanking, readers: RequestReaders): HybridRequest {
  const { ranker, embedder } = readers;
  const corrected = correctWords(text, lexical, readers);
  const { mass, hasWords, hasKnownWord } = lexical.plan;
  const hasMeaning = hasKnownWord || knowsSome(corrected, embedder);
  return {
    text: corrected,
    key: nameKey(corrected),
    vector: toQueryVector(hasMeaning ? embedder.query(corrected) : new Float32Array(embedder.dimensions)),
    knownShare: mass > 0 ? mass / (mass + unknownMass(corrected, ranker.index)) : 0,
    clauses: (hasWords ? splitClauses(corrected) : []).map((clause) => ({
      plan: ranker.plan(clause),
      vector: toQueryVector(embedder.query(clause)),
    })),
  };
}

/** Misspelt words as the catalog spells them: those that neither the catalog nor the embedder knows. */
function correctWords(text: string, { plan }: QueryRanking, { ranker, embedder }: RequestReaders): string {
  const { terms } = ranker.index;
  const spelt = new Map<string, { readonly list: number; readonly weight: number }>();
  for (const { list, reasons } of plan.lists) {
    for (const { word, match, weight } of reasons) {
      // Lists beyond the terms are those of stems, which are no words.
      if (match !== 'typo' || list >= terms.size || embedder.knows(word)) continue;
      if (weight > (spelt.get(word)?.weight ?? 0)) spelt.set(word, { list, weight });
    }
  }
  if (spelt.size === 0) return text;
  return text.replace(WORD, (word) => {
    const right = spelt.get(foldText(word).toLowerCase());
    return right === undefined ? word : terms.text(right.list);
  });
}

/**
 * Whether the embedder knows a single word. What it must read in parts throughout ("zzzz qqqq") has a vector all the same, which
 * is near to something by chance alone.
 */
function knowsSome(text: string, embedder: StaticEmbedder): boolean {
  const words = foldText(text).toLowerCase().match(WORD) ?? [];
  return words.some((word) => UNSPACED.test(word) || embedder.knows(word));
}

/** What the words that no tool has would weigh if they were the rarest in the catalog. */
function unknownMass(text: string, index: Bm25Index): number {
  const { terms } = index;
  const isKnown = (list: number): boolean => list !== NO_LIST && index.listLength(list) > 0;
  const unknown = new Set<string>();
  scanTokens(text, {
    seed: terms.seed,
    token(characters, length, kind, hash) {
      // Most words end here, before anything is made of them.
      if (kind !== TokenKind.word || isKnown(index.stemList(terms.find(characters, length, hash)))) return true;
      const word = String.fromCharCode(...characters.subarray(0, length));
      if (!GRAMMAR.has(word) && !NUMBER.test(word) && !isKnown(index.stemListOf(word))) unknown.add(word);
      return true;
    },
  });
  return unknown.size * Math.log(1 + index.toolCount);
}

const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);
const NUMBER = /^\d+$/;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts in which the embedder looks for words inside a run of letters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
