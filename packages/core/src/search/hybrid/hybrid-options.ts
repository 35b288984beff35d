import { type HybridWeights, learnedWeights } from './features.ts';

/** How hybrid search weighs keywords against embeddings. */
export interface HybridOptions {
  /** What each feature counts; 0 or more. @default {@link HYBRID_DEFAULTS} */
  readonly weights?: HybridWeights;
  /**
   * The same for a request of one clause, which has no filler, so that its meaning can be trusted more. @default `weights`
   * where these are given, else {@link HYBRID_DEFAULTS}
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

/** The options of hybrid search with every default filled in. */
export type HybridSettings = Required<HybridOptions>;

/** Learned from requests whose tools the embedded model had not seen. */
export const HYBRID_DEFAULTS: HybridSettings = {
  weights: learnedWeights(0),
  oneClauseWeights: learnedWeights(1),
  rerankedWeights: learnedWeights(2),
  rerankedOneClauseWeights: learnedWeights(3),
  intentWeight: 5,
  rerankedIntentWeight: 4,
  siblingWeight: 2,
  // About one in a hundred right answers to requests that no training saw lies below it.
  leastConfidence: 0.25,
};
