/** Bounds on what one search reads of a query; what is beyond is left out. */
export const QUERY_LIMITS = {
  /** Characters of each query. */
  characters: 4_096,
  /** Words of each query. */
  words: 256,
  /** Queries of one call. */
  queries: 16,
} as const;
