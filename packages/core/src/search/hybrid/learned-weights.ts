import type { FitModel } from '../reranker/index.ts';

// What was learned of whether anything fits: `packages/semantic/training/ranker` prints these numbers.

/** The logistic model of whether anything fits, from the hybrid's own evidence. */
export const FIT_MODEL: FitModel = {
  meaning: 8.96,
  bigrams: 3.99,
  cosine: 0,
  threshold: 3.45,
  perTenfold: 0.38,
};

/** The probability below which nothing fits: about one in a hundred right answers to requests that no training saw lies there. */
export const LEAST_CONFIDENCE = 0.25;
