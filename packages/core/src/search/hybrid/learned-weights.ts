import type { HybridWeights } from './hybrid-options.ts';

// Everything that was learned, and nothing else: `packages/semantic/training/ranker` prints these numbers.

/** What each feature counts. */
export const RANKER_WEIGHTS: HybridWeights = {
  meaning: 6.8,
  clauseMeaning: 5.9,
  terms: 1,
  clauseTerms: 1.3,
  coverage: 1.7,
  bigrams: 0.7,
  nameCoverage: 0.8,
  serverNamed: 0.9,
  embedded: 0,
};

/** The same for a request of one clause, which is itself its best clause. */
export const ONE_CLAUSE_WEIGHTS: HybridWeights = {
  meaning: 14.6,
  clauseMeaning: 0,
  terms: 1.3,
  clauseTerms: 0,
  coverage: 2.6,
  bigrams: 1.4,
  nameCoverage: 0.6,
  serverNamed: 0.9,
  embedded: 0,
};

/** The same for a request that the second stage has looked at. */
export const SECOND_STAGE_WEIGHTS: HybridWeights = {
  meaning: 2.3,
  clauseMeaning: 3.3,
  terms: 0.3,
  clauseTerms: 1.3,
  coverage: 1.6,
  bigrams: 0.9,
  nameCoverage: 0.5,
  serverNamed: 0.8,
  embedded: 3.6,
};

/** The logistic model of whether anything fits, and the probability below which nothing does. */
export const FIT_MODEL = {
  meaning: 18.1,
  coverage: 0.88,
  bigrams: 10.3,
  threshold: 7.4,
  leastConfidence: 0.12,
} as const;
