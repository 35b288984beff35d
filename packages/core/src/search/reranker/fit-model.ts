/**
 * What each kind of evidence counts, 0 or more, when it is judged whether anything in a catalog fits a request, and how much of it all
 * makes a fit as likely as not.
 */
export interface FitModel {
  /** The cosine of the embedded model, without what all tools of the catalog have in common. */
  readonly meaning: number;
  /** How much of the request's words the tool has. */
  readonly coverage: number;
  /** Neighbouring words in common. */
  readonly bigrams: number;
  /** The cosine of the reranker. */
  readonly cosine: number;
  readonly threshold: number;
}
