import { searchText, type Tool } from '../../catalog/index.ts';
import type { FitModel } from '../reranker/create-reranker.ts';
import type { StaticEmbedder } from '../semantic/embedder.ts';
import { foldText, nameKey } from '../text/characters.ts';
import { FUNCTION_WORDS } from '../text/function-words.ts';
import { TokenKind, tokenize } from '../text/tokenize.ts';
import type { RatedTools } from './rate-tools.ts';

/** The logistic model of whether anything fits, from the hybrid's own evidence; `packages/semantic/training/ranker` prints its numbers. */
export const FIT_MODEL: FitModel = { meaning: 8.96, bigrams: 3.99, cosine: 0, threshold: 3.45, perTenfold: 0.38 };

/** Evidence of whether anything in the catalog fits a request: one number for each tool that was rated. */
export interface FitEvidence {
  /** The cosine of the request, or of its best clause, without the component that all tools of the catalog share. */
  readonly meaning: Float64Array;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: Float64Array;
  /** How much of the request's words the catalog contains: words of no tool count as the rarest. */
  readonly knownShare: number;
  /** The reranker's cosine of the request or its best clause with the tool, 0 for one that it has not scored. @default all 0 */
  readonly cosine?: Float64Array | undefined;
  /** How many tools the catalog has. */
  readonly toolCount: number;
}

/**
 * The probability that something fits, from 0 to 1: a logistic model of the evidence, for the tool with the most of it.
 * No weight is negative, so more evidence never makes a fit less likely.
 */
export function judgeFit({ meaning, bigrams, knownShare, cosine, toolCount }: FitEvidence, model: FitModel): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < meaning.length; at += 1) {
    const sum =
      model.meaning * (meaning[at] as number) +
      model.bigrams * (bigrams[at] as number) * knownShare +
      model.cosine * Math.max(0, cosine?.[at] ?? 0);
    most = Math.max(most, sum);
  }
  return 1 / (1 + Math.exp(thresholdFor(toolCount, model) - most));
}

function thresholdFor(toolCount: number, { threshold, perTenfold = 0 }: FitModel): number {
  const size = Math.min(LARGEST, Math.max(USUAL, toolCount));
  return threshold + perTenfold * Math.log10(size / USUAL);
}

/** The largest catalog for which the threshold applies unchanged, and the largest that it was learned on. */
const USUAL = 500;
const LARGEST = 10_000;

/**
 * How much more evidence a clause needs than the whole request to be used for the verdict: filler around the one clause that matters
 * must not count against it, and every further clause is one more that may match something by chance.
 */
export const CLAUSE_MARGIN = 0.1;

export interface Judgement {
  readonly rated: RatedTools;
  /** How much of the request the catalog has words for, 0 to 1. */
  readonly knownShare: number;
  readonly model: FitModel;
  readonly toolCount: number;
  /** The probability below which nothing fits. */
  readonly least: number;
  /** Whether the request names something of a tool exactly. Computed only if everything else says that nothing fits. */
  readonly namesExactly: () => boolean;
  /** The reranker's scores, if it has scored them. */
  readonly cosine?: Float64Array;
}

/** How likely it is that a request fits one of the tools that were weighed for it; one that it names always fits. */
export function judgeRated({ rated, knownShare, model, least, namesExactly, cosine, toolCount }: Judgement): number {
  const { bonuses, ownMeaning: meaning, features } = rated;
  if (bonuses.some((bonus) => bonus > 0)) return 1;
  const confidence = judgeFit({ meaning, bigrams: features.bigrams, knownShare, cosine, toolCount }, model);
  return meaning.length > 0 && confidence < least && namesExactly() ? Math.max(EXACT, least) : confidence;
}

/** The probability for a rare word that names a parameter or a tool, whatever it means. */
const EXACT = 0.9;

/**
 * Whether a request names something of one of these tools exactly, so that no judgement of its meaning may overrule it:
 * - all of it, or an identifier in it (`idempotency_key`, `dueDate`, or anything in backticks), is the name of a parameter or a tool;
 * - it has a few words, and all of them are in the tool's name, its server's or those of its parameters;
 * - it has a word that the embedded model does not know (`kubeconfig`), and that is in one of these names.
 */
export function namesExactly(text: string, tools: Iterable<Tool>, embedder: Pick<StaticEmbedder, 'knows'>): boolean {
  const written = [...text.matchAll(IDENTIFIER)].map((found) => found[1] ?? found[0]);
  const identifiers = new Set([...written, text.slice(0, LONGEST_NAME)].map(nameKey).filter((key) => key !== ''));
  const words = [...new Set(wordsOf(text))].filter((word) => !GRAMMAR.has(word) && !NUMBER.test(word));
  const unknown = words.filter((word) => word.length >= LEAST_UNKNOWN && !embedder.knows(word));
  const isShort = words.length > 0 && words.length <= MOST_WORDS;
  if (text.length > LONGEST_NAME && written.length === 0 && unknown.length === 0) return false;
  for (const tool of tools) {
    const { name, server, parameterNames } = searchText(tool, TEXT_LIMITS);
    if ([name, ...parameterNames].some((one) => identifiers.has(nameKey(one)))) return true;
    const known = new Set([name, server, ...parameterNames].flatMap(wordsOf));
    if (unknown.some((word) => known.has(word))) return true;
    if (isShort && words.every((word) => known.has(word))) return true;
  }
  return false;
}

function wordsOf(text: string): string[] {
  return tokenize(foldText(text))
    .filter(({ kind }) => kind !== TokenKind.character)
    .map((token) => token.text);
}

const GRAMMAR: ReadonlySet<string> = new Set(FUNCTION_WORDS);
const NUMBER = /^\d+$/;
/** Backticks around a short text; words joined by an underscore, a dash or a dot; capitals inside a word. */
const IDENTIFIER = /`([^`\n]{1,256})`|[\p{L}\p{N}]+(?:[_\-.]{1,2}[\p{L}\p{N}]+)+|\p{L}\p{Ll}*\p{Lu}[\p{L}\p{N}]*/gu;
const MOST_WORDS = 3;
const LONGEST_NAME = 256;
/** Shorter ones are in too many names by chance. */
const LEAST_UNKNOWN = 4;
const TEXT_LIMITS = { depth: 8, nodes: 1_000, characters: 16_384 } as const;
