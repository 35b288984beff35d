import { FIT_MODEL } from './learned-weights.ts';

/** What tells whether anything in the catalog fits a request. */
export interface FitEvidence {
  /** The cosine of the request with its best tool. */
  readonly meaning: number;
  /** How much of the request, by idf, that tool has; words that no tool has count as the rarest. */
  readonly coverage: number;
  /** Neighbouring words in common with it, by idf, as a share of the request. */
  readonly bigrams: number;
}

/**
 * How likely it is that something fits, from 0 to 1: a logistic model of the evidence. All weights are positive, so more
 * evidence never makes a fit less likely. Learned on thirteen catalogs and requests that belong and don't belong to them.
 */
export function judgeFit(evidence: FitEvidence): number {
  const sum =
    FIT_MODEL.meaning * evidence.meaning +
    FIT_MODEL.coverage * evidence.coverage +
    FIT_MODEL.bigrams * evidence.bigrams -
    FIT_MODEL.threshold;
  return 1 / (1 + Math.exp(-sum));
}
