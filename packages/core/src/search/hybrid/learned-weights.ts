import type { FitModel } from '../reranker/index.ts';
import type { HybridWeights } from './hybrid-options.ts';

// Everything that was learned, and nothing else: `packages/semantic/training/ranker` prints these numbers.

/** What each feature counts. */
export const RANKER_WEIGHTS: HybridWeights = {
  meaning: 7.9,
  clauseMeaning: 6.1,
  terms: 1,
  clauseTerms: 0.8,
  coverage: 2.6,
  bigrams: 1.1,
  serverNamed: 1.2,
  smallServer: 0.4,
  embedded: 0,
  clauseEmbedded: 0,
};

/** The same for a request of one clause, which is itself its best clause. */
export const ONE_CLAUSE_WEIGHTS: HybridWeights = {
  meaning: 14.3,
  clauseMeaning: 0,
  terms: 1,
  clauseTerms: 0,
  coverage: 3.6,
  bigrams: 1.8,
  serverNamed: 1.4,
  smallServer: 0.4,
  embedded: 0,
  clauseEmbedded: 0,
};

/** The same for a request of several clauses that the reranker has looked at, */
export const RERANKED_WEIGHTS: HybridWeights = {
  meaning: 2.3,
  clauseMeaning: 1.2,
  terms: 0.7,
  clauseTerms: 0.9,
  coverage: 1.4,
  bigrams: 0.9,
  serverNamed: 1,
  smallServer: 0.4,
  embedded: 2.9,
  clauseEmbedded: 2.2,
};

/** and for one of one clause: fitted on a reranker that had seen none of the services, so that it is trusted no more than on a strange catalog. */
export const RERANKED_ONE_CLAUSE_WEIGHTS: HybridWeights = {
  meaning: 8.2,
  clauseMeaning: 0,
  terms: 0,
  clauseTerms: 0,
  coverage: 3,
  bigrams: 2.1,
  serverNamed: 1.2,
  smallServer: 0.4,
  embedded: 3.8,
  clauseEmbedded: 0,
};

/** The logistic model of whether anything fits, from the hybrid's own evidence. */
export const FIT_MODEL: FitModel = {
  meaning: 19.1,
  bigrams: 8.5,
  cosine: 0,
  threshold: 7.6,
};

/** The probability below which nothing fits: about one in a hundred right answers to requests that no training saw lies there. */
export const LEAST_CONFIDENCE = 0.07;
