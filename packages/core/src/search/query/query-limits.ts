/** Bounds on what one search reads. */
export const QUERY_LIMITS = {
  /** Code points of each query, where a request does not say otherwise; a longer one is refused. */
  characters: 4_096,
  /** Words of each query; what is beyond is left out. */
  words: 256,
  /** Queries of one call; what is beyond is left out. */
  queries: 16,
} as const;
