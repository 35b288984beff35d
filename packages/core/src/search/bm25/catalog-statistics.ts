/**
 * What is known of a whole catalog, for an index of a few of its tools: words are as rare as they are in the catalog, not among the
 * candidates that were chosen for having them.
 */
export interface CatalogStatistics {
  readonly toolCount: number;
  /** The average length in words of each field, in the order of the index's fields. */
  readonly averageLengths: readonly number[];
  /** How many tools have this word as it is written. */
  countWord(word: string): number;
  /** How many tools have any word with this stem. */
  countStem(stem: string): number;
}
