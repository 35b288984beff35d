/** Bounds on what one search reads. */
export const QUERY_LIMITS = {
  /** Code points of each query, where a request does not say otherwise; a longer one is refused. */
  characters: 4_096,
  /** Words of each query; what is beyond is left out. */
  words: 256,
  /** Queries of one call; the answer names those beyond, as `unasked`. */
  queries: 16,
} as const;

/** The queries that a search leaves out, as its answer tells of them; nothing where it answers all. */
export function unaskedQueries(query: string | readonly string[]): { readonly unasked?: readonly string[] } {
  if (typeof query === 'string' || query.length <= QUERY_LIMITS.queries) return {};
  return { unasked: query.slice(QUERY_LIMITS.queries) };
}
