import { FIT_MODEL } from './learned-weights.ts';

/** What tells whether anything in the catalog fits a request: one number for each tool that was weighed. */
export interface FitEvidence {
  /** The cosine of the request with the tool. */
  readonly meaning: Float64Array;
  /** How much of the request's known words, by idf, the tool has. */
  readonly coverage: Float64Array;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: Float64Array;
  /** How much of the request the catalog has words for: words that no tool has count as the rarest. */
  readonly knownShare: number;
}

/**
 * How likely it is that something fits, from 0 to 1: a logistic model of the evidence, for the tool that has most of it.
 * All weights are positive, so more evidence never makes a fit less likely. Learned on thirteen catalogs and requests that
 * belong and don't belong to them.
 */
export function judgeFit({ meaning, coverage, bigrams, knownShare }: FitEvidence): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < meaning.length; at += 1) {
    const sum =
      FIT_MODEL.meaning * (meaning[at] as number) +
      FIT_MODEL.coverage * (coverage[at] as number) * knownShare +
      FIT_MODEL.bigrams * (bigrams[at] as number) * knownShare;
    most = Math.max(most, sum);
  }
  return 1 / (1 + Math.exp(FIT_MODEL.threshold - most));
}
