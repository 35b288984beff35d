import type { Tool } from '../catalog/index.ts';

/** A search engine over a snapshot: one interface, several engines, one contract suite. */
export interface Searcher {
  readonly engine: SearchEngine;
  /** The best tools for a query, best first. An empty query finds nothing; it never finds everything. */
  search(request: SearchRequest): Promise<SearchResult>;
  /** The rank of one tool for a query, and why it is listed or not. */
  explain(request: SearchRequest, tool: Tool): Promise<Standing>;
  /**
   * Builds what the first search would otherwise have to wait for, and yields to other work from time to time. A search in the
   * meantime waits for the same build. Missing if an engine has nothing to build.
   */
  prepare?(): Promise<void>;
  /** About how many bytes it uses now, more once it is built. Missing if the engine can't say. */
  byteLength?(): number;
}

/** What a searcher ranks by. */
export type SearchEngine = 'regex' | 'bm25' | 'semantic' | 'hybrid';

/** What a searcher is asked. */
export interface SearchRequest {
  /** What to search for. Several queries get one list, which serves each of them in turn. */
  readonly query: string | readonly string[];
  /** How many code points each query may have; a longer one fails with `query_too_long`. @default 4096 */
  readonly maxQueryLength?: number | undefined;
  /**
   * How many tools at most, 1 to 50.
   * @default 5
   */
  readonly limit?: number;
  /** What the caller may see: applied before ranking, so that a hidden tool leaves no trace in an answer. */
  readonly allow?: (tool: Tool) => boolean;
  /** Whether each hit carries its explanation. */
  readonly explain?: boolean;
  readonly signal?: AbortSignal;
}

/** What a search has found. */
export interface SearchResult {
  readonly hits: readonly Hit[];
  /** `none` when nothing in the catalog fits, even if `hits` names what came nearest. */
  readonly verdict: 'match' | 'none';
  /** The estimated probability that any tool fits, from 0 to 1, if the engine reports one. */
  readonly confidence?: number;
  /**
   * Words written like an operator (`server:nope`) that matched nothing the caller may see, and were read as plain words. Missing if
   * there are none.
   */
  readonly unresolved?: readonly string[];
  /** The queries beyond the first 16, which were not run. Missing if all were. */
  readonly unasked?: readonly string[];
  /** What the reranker did. Missing if the engine has none, or there was nothing to rerank. */
  readonly reranker?: RerankerUse;
}

/** `fallback`: it failed or was late. `skipped`: it does not read such requests. Either way the order is that of the hybrid alone. */
export type RerankerUse =
  | { readonly kind: 'used' }
  | { readonly kind: 'fallback' | 'skipped'; readonly reason: string };

/** One tool that a search has found. */
export interface Hit {
  readonly tool: Tool;
  /** Higher is better. Comparable within one answer only. */
  readonly score: number;
  readonly explanation?: Explanation;
  /** Near-duplicates of this tool that were folded into it. */
  readonly also?: readonly Tool[];
}

/** A score taken apart: each value is made of its details. */
export interface Explanation {
  readonly value: number;
  /** A description of the value: `term "invoice" in name`. */
  readonly what: string;
  readonly details: readonly Explanation[];
}

export function explained(value: number, what: string, details: readonly Explanation[] = []): Explanation {
  return { value, what, details };
}

/** The rank of a named tool for a query. Ranks start at 1. */
export type Standing =
  | { readonly kind: 'listed'; readonly rank: number; readonly explanation: Explanation }
  | { readonly kind: 'below-limit'; readonly rank: number; readonly explanation: Explanation }
  | { readonly kind: 'not-matched'; readonly reason: string }
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'not-in-catalog' };

/** How many tools a search may return. */
export const SEARCH_LIMITS = { default: 5, min: 1, max: 50 } as const;
