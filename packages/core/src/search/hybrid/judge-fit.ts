import type { FitModel } from '../reranker/index.ts';

/** What tells whether anything in the catalog fits a request: one number for each tool that was weighed. */
export interface FitEvidence {
  /** The cosine of the request with the tool, without what all tools of the catalog have in common. */
  readonly meaning: Float64Array;
  /** How much of the request's known words, by idf, the tool has. */
  readonly coverage: Float64Array;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: Float64Array;
  /** How much of the request the catalog has words for: words that no tool has count as the rarest. */
  readonly knownShare: number;
  /** the reranker's cosine of the request with the tool, 0 for one that it has not seen. @default all 0 */
  readonly cosine?: Float64Array;
}

/**
 * How likely it is that something fits, from 0 to 1: a logistic model of the evidence, for the tool that has most of it.
 * No weight is negative, so more evidence never makes a fit less likely.
 */
export function judgeFit({ meaning, coverage, bigrams, knownShare, cosine }: FitEvidence, model: FitModel): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < meaning.length; at += 1) {
    const sum =
      model.meaning * (meaning[at] as number) +
      model.coverage * (coverage[at] as number) * knownShare +
      model.bigrams * (bigrams[at] as number) * knownShare +
      model.cosine * Math.max(0, cosine?.[at] ?? 0);
    most = Math.max(most, sum);
  }
  return 1 / (1 + Math.exp(model.threshold - most));
}
