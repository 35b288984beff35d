import {
  LEAST_CONFIDENCE,
  ONE_CLAUSE_WEIGHTS,
  RANKER_WEIGHTS,
  RERANKED_ONE_CLAUSE_WEIGHTS,
  RERANKED_WEIGHTS,
} from './learned-weights.ts';

/**
 * What a tool's score is made of. Each feature runs from 0 to about 1 (`terms` to 2 for a tool that is named, `smallServer` to
 * about 6), none counts against a tool, and the score is their weighted sum: a linear model carries over to catalogs that it
 * never saw, where trees and networks did not.
 */
export interface HybridFeatures {
  /** Cosine of the request's vector with the tool's. */
  readonly meaning: number;
  /** The best cosine of one clause of the request; the same as `meaning` for a request of one clause. */
  readonly clauseMeaning: number;
  /** The lexical score, as a share of the best of those that the request does not name; a named one's is at most 2. */
  readonly terms: number;
  /** The same for the clause that fits best. */
  readonly clauseTerms: number;
  /** How much of the request's known words, by idf, the tool has. */
  readonly coverage: number;
  /** Neighbouring words in common, by idf, as a share of the request. */
  readonly bigrams: number;
  /** 1 when the request names the tool's server. */
  readonly serverNamed: number;
  /**
   * `ln(most / own)`, where `own` is how many tools its server has and `most` how many the largest server of the catalog has.
   * People ask for a service, not for a tool drawn from all of them, and of 500 tools one looks right by chance far sooner
   * than of 5. 0 in a catalog of one server.
   */
  readonly smallServer: number;
  /**
   * Where its cosine in the reranker stands between the mean of the tools that were compared (0, as for all below it)
   * and the nearest of them (1). Relative, so that the scale of a model does not matter. 0 without a reranker.
   */
  readonly embedded: number;
  /** The same for the clause of the request that it serves best; the same as `embedded` for a request of one clause. */
  readonly clauseEmbedded: number;
}

/** A tool that has nothing in common with a request. */
export const NO_FEATURES: HybridFeatures = {
  meaning: 0,
  clauseMeaning: 0,
  terms: 0,
  clauseTerms: 0,
  coverage: 0,
  bigrams: 0,
  serverNamed: 0,
  smallServer: 0,
  embedded: 0,
  clauseEmbedded: 0,
};

export type HybridWeights = Readonly<Record<keyof HybridFeatures, number>>;

export interface HybridOptions {
  /** What each feature counts; 0 or more. @default {@link HYBRID_DEFAULTS} */
  readonly weights?: HybridWeights;
  /**
   * The same for a request of one clause, in which there is no chatter, so that its meaning can be trusted more.
   * @default `weights` where these are given, else {@link HYBRID_DEFAULTS}
   */
  readonly oneClauseWeights?: HybridWeights;
  /** The same for a request that the reranker has looked at, which makes the cheaper features count less. */
  readonly rerankedWeights?: HybridWeights;
  /** @default `rerankedWeights` where these are given, else {@link HYBRID_DEFAULTS} */
  readonly rerankedOneClauseWeights?: HybridWeights;
  /**
   * What it counts that a tool serves a clause of the request which no tool above it serves as well; 0 is off. It makes
   * room for each of several intents where five siblings of one would fill the list.
   * @default 5
   */
  readonly intentWeight?: number;
  /** The same for a request that the reranker has looked at. @default `intentWeight` where it is given, else 4 */
  readonly rerankedIntentWeight?: number;
  /**
   * What it counts in a request of several clauses that a tool of the same server stands above, divided by the root of how
   * many tools the server has; 0 is off. Who asks for several things at once often means one service: where its tool for
   * the first of them is in the answer, that for the second is the likelier of two that look alike.
   * @default 2
   */
  readonly siblingWeight?: number;
  /**
   * Below this probability that anything fits, the verdict is `none`, from 0 to 1.
   * @default {@link HYBRID_DEFAULTS}
   */
  readonly leastConfidence?: number;
}

export type HybridSettings = Required<HybridOptions>;

/** Learned from requests whose tools the embedded model had not seen. */
export const HYBRID_DEFAULTS: HybridSettings = {
  weights: RANKER_WEIGHTS,
  oneClauseWeights: ONE_CLAUSE_WEIGHTS,
  rerankedWeights: RERANKED_WEIGHTS,
  rerankedOneClauseWeights: RERANKED_ONE_CLAUSE_WEIGHTS,
  intentWeight: 5,
  rerankedIntentWeight: 4,
  siblingWeight: 2,
  leastConfidence: LEAST_CONFIDENCE,
};
