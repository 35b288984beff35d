import type { FitModel } from '../reranker/index.ts';

/** What tells whether anything in the catalog fits a request: one number for each tool that was weighed. */
export interface FitEvidence {
  /** The cosine of the request, or of the clause of it that fits best, without what all tools of the catalog have in common. */
  readonly meaning: Float64Array;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: Float64Array;
  /** How much of the request the catalog has words for: words that no tool has count as the rarest. */
  readonly knownShare: number;
  /** The reranker's cosine of the request or its best clause with the tool, 0 for one that it has not seen. @default all 0 */
  readonly cosine?: Float64Array | undefined;
  /** How many tools the catalog has. */
  readonly toolCount: number;
}

/**
 * How likely it is that something fits, from 0 to 1: a logistic model of the evidence, for the tool that has most of it.
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

/** Tools of a catalog up to which the threshold holds as it is, and the most that it was learned on. */
const USUAL = 500;
const LARGEST = 10_000;

/**
 * What a clause has to have more than the whole request to be what the request is judged by: chatter around the one clause that matters
 * must not count against it, and every further clause is one more that may be near to something by chance.
 */
export const CLAUSE_MARGIN = 0.1;
