import type { RerankerUse, SearchEngine } from '../search/index.ts';

/**
 * What happened, for logs and metrics. Events carry names, counts, sizes and times; never argument values, results or
 * secrets. A query is an argument too: its text is there only when `recordQueries` is set.
 */
export type ToolboxEvent =
  | (EventBase & {
      /** A search is about to run. */
      readonly kind: 'tool-search-start';
      /** How many queries the search has. */
      readonly queryCount: number;
    })
  | (EventBase & {
      /** A search was answered. */
      readonly kind: 'tool-search-end';
      /** `none` is no match; `stopped` means that the loop guard refused to search. */
      readonly outcome: 'match' | 'none' | 'failure' | 'stopped';
      /** How many queries the search had. */
      readonly queryCount: number;
      /** Their texts, only with `recordQueries`. */
      readonly queries?: readonly string[] | undefined;
      /** The engine that searched. Missing if the loop guard answered instead. */
      readonly engine?: SearchEngine | undefined;
      /** The estimated probability that any tool fits, 0 to 1, if the engine reports one. */
      readonly confidence?: number | undefined;
      /** Best first, as the model sees them. */
      readonly found: readonly string[];
      /** Their ids, in the same order. */
      readonly tools: readonly string[];
      /** Why each was found, in the same order. A reason quotes the query, so it is set only with `queries`. */
      readonly reasons?: readonly string[] | undefined;
      /** Their scores, in the same order. */
      readonly scores: readonly number[];
      /** How long the search took. */
      readonly durationMs: number;
      /** Estimated tokens of the answer: of its text or, in the form `native`, of the definitions that it reveals. */
      readonly answerTokens: number;
      /** What the reranker did, if the engine has one. */
      readonly reranker?: RerankerUse['kind'] | undefined;
    })
  | (EventBase & {
      /** A definition was revealed to the model. */
      readonly kind: 'tool-load';
      /** The id of the tool. */
      readonly tool: string;
      /** As the model sees it. */
      readonly name: string;
      /** What revealed it. */
      readonly by: 'search' | 'describe' | 'prefetch';
      /** Estimated tokens of the definition. */
      readonly tokens: number;
      /** False in the form `load`: the definition joins the tool list, which invalidates the provider's prompt cache. */
      readonly keepsPrefix: boolean;
    })
  | (EventBase & {
      /** A tool is about to run. */
      readonly kind: 'tool-call-start';
      /** The id of the tool. */
      readonly tool: string;
      /** Estimated tokens of the arguments. */
      readonly argumentTokens: number;
    })
  | (EventBase & {
      /** A tool has run or failed. */
      readonly kind: 'tool-call-end';
      /** The id of the tool. */
      readonly tool: string;
      /** Whether it failed. */
      readonly isError: boolean;
      /** How long it ran. */
      readonly durationMs: number;
      /** Estimated tokens of the result. */
      readonly resultTokens: number;
    })
  | (EventBase & {
      /** A call was not made. */
      readonly kind: 'tool-call-refuse';
      /** The id of the tool, if it exists and the caller may see it. */
      readonly tool?: string | undefined;
      /** Why: `malformed`, `unknown`, `nested`, `not-deferred`, `arguments`, `hook` or `approval`. */
      readonly reason: RefusalReason;
    })
  | (EventBase & {
      /** The index of a catalog was built before its first search, or could not be. */
      readonly kind: 'search-prepare-end';
      /** Whether it failed. */
      readonly isError: boolean;
      /** How many tools the catalog has. */
      readonly toolCount: number;
      /** How long it took. */
      readonly durationMs: number;
    });

/** When, which call, and whose: the fields of every event. */
export interface EventBase {
  /** From the injected clock. */
  readonly atMs: number;
  /** The id of the model's call. Absent for a prefetch and a preparation. */
  readonly callId?: string | undefined;
  readonly callerId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Why a call was not made. */
export type RefusalReason = 'malformed' | 'unknown' | 'nested' | 'not-deferred' | 'arguments' | 'hook' | 'approval';
