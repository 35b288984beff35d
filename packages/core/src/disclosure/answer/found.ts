import type { Memory } from '../memory.ts';

/**
 * The result of one of our tools, as names. Only names, because that is all that some clients keep: an answer's
 * text must be rebuilt from them on every replay.
 */
export type Found = FoundBySearch | FoundByName | SearchFailure;

/** The outcome of a search. No names: nothing fits. */
export interface FoundBySearch {
  readonly kind: 'search';
  readonly queries: readonly string[];
  /** Best first, as the model sees them. */
  readonly names: readonly string[];
  /** How many it asked for at most. */
  readonly limit?: number;
  /** The loop guard answered it without a search: it does not count as a search. */
  readonly isRefused?: true;
  /**
   * Which of the names answer which query, if there are several; a query without a match has none. Reported once, like
   * `also`.
   */
  readonly answers?: readonly QueryAnswer[];
  /** Near-duplicates that were folded into a found tool. Reported once; clients that keep only names lose them. */
  readonly also?: readonly Duplicate[];
  /** Servers that can't be searched now. Reported once, for the same reason. */
  readonly unavailable?: readonly Unavailable[];
}

/** The outcome of `tool_describe`: the requested names, resolved if they exist. */
export interface FoundByName {
  readonly kind: 'describe';
  readonly names: readonly string[];
}

/** A search that could not run: a pattern that does not compile, an engine that is down. */
export interface SearchFailure {
  readonly kind: 'failure';
  readonly queries: readonly string[];
  /** `invalid_pattern`, `pattern_too_long`, `query_too_long`, `out_of_budget`, `too_many_requests`, `invalid_arguments` or `unavailable`. */
  readonly code: string;
  readonly message: string;
}

/** What one of several queries found. */
export interface QueryAnswer {
  readonly query: string;
  readonly names: readonly string[];
}

/** A near-duplicate of a tool that was found. */
export interface Duplicate {
  readonly name: string;
  /** The found tool that it was folded into. */
  readonly of: string;
}

/** A server whose tools can't be reached, and why. */
export interface Unavailable {
  readonly server: string;
  readonly reason: string;
}

/** The text of an answer for one plan: a pure function of the result and of the memory before, so that a replay gives the same bytes. */
export type Tell = (found: Found, before: Memory) => string;
