import type { HybridWeights } from './hybrid-options.ts';

// Everything that was learned, and nothing else: `packages/semantic/training/ranker` prints these numbers.

/** What each feature counts. */
export const RANKER_WEIGHTS: HybridWeights = {
  meaning: 7.1,
  clauseMeaning: 6.2,
  terms: 1,
  clauseTerms: 1.1,
  coverage: 1.8,
  bigrams: 0.9,
  nameCoverage: 0.8,
  serverNamed: 0.8,
  embedded: 0,
};

/** The same for a request of one clause, which is itself its best clause. */
export const ONE_CLAUSE_WEIGHTS: HybridWeights = {
  meaning: 15,
  clauseMeaning: 0,
  terms: 0.9,
  clauseTerms: 0,
  coverage: 2.9,
  bigrams: 1.8,
  nameCoverage: 0.5,
  serverNamed: 0.4,
  embedded: 0,
};

/** The same for a request that the second stage has looked at. */
export const SECOND_STAGE_WEIGHTS: HybridWeights = {
  meaning: 2.4,
  clauseMeaning: 3.4,
  terms: 0.2,
  clauseTerms: 1.1,
  coverage: 1.7,
  bigrams: 1.1,
  nameCoverage: 0.4,
  serverNamed: 0.6,
  embedded: 3.8,
};

/** The logistic model of whether anything fits, and the probability below which nothing does. */
export const FIT_MODEL = {
  meaning: 19,
  coverage: 1.1,
  bigrams: 11.8,
  threshold: 8.3,
  leastConfidence: 0.09,
} as const;
