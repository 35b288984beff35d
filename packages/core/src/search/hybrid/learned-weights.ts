import type { FitModel } from '../second-stage/index.ts';
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
  meaning: 2.5,
  clauseMeaning: 3.3,
  terms: 0.1,
  clauseTerms: 1.2,
  coverage: 1.5,
  bigrams: 1.2,
  nameCoverage: 0.5,
  serverNamed: 0.6,
  embedded: 3.9,
};

/** The logistic model of whether anything fits, from the first stage's evidence. */
export const FIT_MODEL: FitModel = {
  meaning: 20.3,
  coverage: 0.3,
  bigrams: 7.6,
  cosine: 0,
  threshold: 8.8,
};

/** The probability below which nothing fits: of right answers to held-out requests fewer than one in a hundred lie there, with either stage. */
export const LEAST_CONFIDENCE = 0.07;
