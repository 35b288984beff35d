/**
 * What each kind of evidence counts, 0 or more, when it is judged whether anything in a catalog fits a request, and how much of it all
 * makes a fit as likely as not.
 */
export interface FitModel {
  /** The embedded model's cosine with the tool, without what all tools of the catalog have in common. */
  readonly meaning: number;
  /** Neighbouring words in common. */
  readonly bigrams: number;
  /** The reranker's cosine. */
  readonly cosine: number;
  readonly threshold: number;
  /**
   * How much more evidence it takes in a catalog of ten times as many tools: something is always near in a large one. The threshold holds up to 500
   * tools. @default 0
   */
  readonly perTenfold?: number;
}
