import { type HybridWeights, learnedWeights } from './features.ts';

/** How hybrid search weighs keywords against embeddings. */
export interface HybridOptions {
  /** The weight of each feature; 0 or more. @default {@link HYBRID_DEFAULTS} */
  readonly weights?: HybridWeights;
  /**
   * The same for a request of one clause, which has no filler, so that its meaning can be trusted more. @default `weights`
   * where these are given, else {@link HYBRID_DEFAULTS}
   */
  readonly oneClauseWeights?: HybridWeights;
  /** The same for a request that the reranker has scored, which makes the cheaper features count less. */
  readonly rerankedWeights?: HybridWeights;
  /** @default `rerankedWeights` if these are given, else {@link HYBRID_DEFAULTS} */
  readonly rerankedOneClauseWeights?: HybridWeights;
  /**
   * The weight of serving a clause of the request better than the tools ranked above; 0 is off. It makes room for each of several
   * intents that five siblings of one tool would otherwise crowd out.
   * @default 5
   */
  readonly intentWeight?: number;
  /** The same for a request that the reranker has scored. @default `intentWeight` if it is given, else 4 */
  readonly rerankedIntentWeight?: number;
  /**
   * In a request of several clauses, the bonus for a tool if another tool of its server ranks above it, divided by the square root of
   * how many tools the server has; 0 is off. A request for several things often means one service: if its tool for the first is in the
   * answer, its tool for the second is the more likely of two that look alike.
   * @default 2
   */
  readonly siblingWeight?: number;
  /**
   * Below this probability that anything fits, the verdict is `none`, from 0 to 1.
   * @default {@link HYBRID_DEFAULTS}
   */
  readonly leastConfidence?: number;
}

/** The options of hybrid search with all defaults. */
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
  // About one in a hundred right answers to requests that no training saw is below it.
  leastConfidence: 0.25,
};
