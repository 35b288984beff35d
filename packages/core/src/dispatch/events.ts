import type { RerankerUse, SearchEngine } from '../search/index.ts';
import type { Caller } from './call.ts';

/**
 * What happened, for logs and metrics. Events carry names, counts, sizes and times; never argument values, results or
 * secrets. A query is an argument too: its text is there only when `recordQueries` is set.
 */
export type ToolboxEvent =
  | (EventBase & {
      readonly kind: 'tool-search-end';
      readonly outcome: 'match' | 'none' | 'failure' | 'stopped';
      readonly queryCount: number;
      readonly queries?: readonly string[];
      /** What searched. Absent where nothing did: the loop guard answered. */
      readonly engine?: SearchEngine;
      /** How likely it is that something fits, 0 to 1, where the engine can tell. */
      readonly confidence?: number;
      /** Best first, as the model sees them. */
      readonly found: readonly string[];
      /** Their scores, in the same order. */
      readonly scores: readonly number[];
      readonly durationMs: number;
      readonly answerTokens: number;
      /** What became of the reranker, where the engine has one. */
      readonly reranker?: RerankerUse['kind'];
    })
  | (EventBase & {
      /** A definition was handed to the model. */
      readonly kind: 'tool-load';
      readonly tool: string;
      readonly by: 'search' | 'describe' | 'prefetch';
      readonly tokens: number;
      /** False in the form `load`: the definition joins the tools, and the provider reads the whole conversation again instead of its cache. */
      readonly keepsPrefix: boolean;
    })
  | (EventBase & { readonly kind: 'tool-call-start'; readonly tool: string; readonly argumentTokens: number })
  | (EventBase & {
      readonly kind: 'tool-call-end';
      readonly tool: string;
      readonly isError: boolean;
      readonly durationMs: number;
      readonly resultTokens: number;
    })
  | (EventBase & {
      readonly kind: 'tool-call-refuse';
      /** The id of the tool, where there is one that the caller may know of. */
      readonly tool?: string;
      readonly reason: RefusalReason;
    })
  | (EventBase & {
      /** What the searches of a catalog need was built ahead of them, or could not be. */
      readonly kind: 'search-prepare-end';
      readonly isError: boolean;
      readonly toolCount: number;
      readonly durationMs: number;
    });

interface EventBase {
  /** From the injected clock. */
  readonly atMs: number;
  /** The id of the model's call. Absent for a prefetch and a preparation. */
  readonly callId?: string;
  readonly callerId?: string;
  readonly requestId?: string;
}

/** Why a call was not made. */
export type RefusalReason = 'malformed' | 'unknown' | 'nested' | 'not-deferred' | 'arguments' | 'hook' | 'approval';

/** Which call, and whose: what every event about a call begins with. */
export function eventOrigin(origin: {
  readonly call?: { readonly id: string };
  readonly caller?: Caller;
}): Pick<EventBase, 'callId' | 'callerId' | 'requestId'> {
  return {
    ...(origin.caller?.requestId === undefined ? {} : { requestId: origin.caller.requestId }),
    ...(origin.call === undefined ? {} : { callId: origin.call.id }),
    ...(origin.caller?.id === undefined ? {} : { callerId: origin.caller.id }),
  };
}
