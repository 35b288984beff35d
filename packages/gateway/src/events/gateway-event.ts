import type { ToolboxEvent } from '@quartermaster/core';
import type { Reach } from '@quartermaster/core/disclosure';
import type { UsedUp } from '../access/index.ts';
import type { PlanCost, TokenAccount } from './token-account.ts';

/** What happens while a request is answered. Names, counts, sizes and times; query texts only where the settings ask for them. */
export type GatewayEvent =
  | ToolboxEvent
  | {
      /** What becomes of the tools of a request, and why. */
      readonly kind: 'plan-decide';
      readonly requestId: string;
      readonly decision: 'inline' | 'defer' | 'pass';
      readonly reason: string;
      /** How deferred tools are shown and found. */
      readonly form?: string;
      readonly cost?: PlanCost;
      /** The named catalogs among its tools. */
      readonly catalogs?: readonly string[];
      /** How many tools are deferred. */
      readonly deferred?: number;
    }
  | {
      /** The model is asked. */
      readonly kind: 'model-round-start';
      readonly requestId: string;
      readonly round: number;
      /** What it is sent besides its tools; only counted from the second round on. */
      readonly tokens: number;
      /** In the first round: what earlier responses loaded. */
      readonly carried: number;
      /** In the first round: whether the conversation has searched and called before. */
      readonly earlier?: Reach;
    }
  | {
      /** A configured MCP server came up, went away, or listed other tools. */
      readonly kind: 'server-change';
      readonly server: string;
      readonly state: string;
      readonly reason?: string;
      readonly toolCount: number;
    }
  | {
      /** A server describes a tool differently than it was accepted. */
      readonly kind: 'definition-change';
      readonly tool: string;
      readonly fields: readonly string[];
      /** Whether the tool is out of use until the change is accepted. */
      readonly isHeld: boolean;
    }
  | {
      /** A search was answered without the reranker (`search`), or its vectors could not be stored (`store`). */
      readonly kind: 'reranker-fallback';
      readonly of: 'search' | 'store';
      readonly reason?: string;
    }
  | {
      /** Texts were given to the reranker's model. */
      readonly kind: 'reranker-call';
      readonly texts: number;
    }
  | {
      /** A tool of a configured MCP server was called through `/mcp`, or one of a server that a request names. */
      readonly kind: 'server-call-end';
      /** The name in the settings, or the pattern that allows the address. */
      readonly server: string;
      readonly isConfigured: boolean;
      /** The id of the key. */
      readonly owner: string;
      /** By the name that models use, or, of a server that a request names, by its own. */
      readonly tool?: string;
      readonly requestId?: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | { readonly kind: 'batch-item-end'; readonly outcome: string }
  | {
      /** A request has been answered, whichever it was. */
      readonly kind: 'request-end';
      readonly requestId: string;
      readonly route: string;
      readonly status: number;
      readonly durationMs: number;
      /** The id of the key, `''` without keys. */
      readonly owner: string;
      /** What the model's response used; absent for all other requests. */
      readonly used?: UsedUp;
      /** Of requests to models, and of those in which something was searched for or called. */
      readonly record?: RequestRecord;
    };

/** One search of a request. */
export interface SearchRecord {
  readonly outcome: 'match' | 'none' | 'failure' | 'stopped';
  readonly engine?: string;
  readonly reranker?: string;
  readonly confidence?: number;
  readonly queryCount: number;
  /** Only where the settings say `insight: queries`. */
  readonly queries?: readonly string[];
  readonly found: readonly string[];
  readonly scores: readonly number[];
  readonly answerTokens: number;
  readonly tookMs: number;
}

/** Everything that is known of a request once it has been answered. */
export interface RequestRecord {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** The id of the key, `''` without keys. */
  readonly owner: string;
  /** The key's name. */
  readonly key?: string;
  readonly model?: string;
  readonly upstream?: string;
  /** The named catalogs among its tools. */
  readonly catalogs?: readonly string[];
  readonly decision?: 'inline' | 'defer' | 'pass';
  readonly reason?: string;
  readonly form?: string;
  readonly rounds: number;
  readonly searches: readonly SearchRecord[];
  readonly loaded: readonly { readonly tool: string; readonly by: string; readonly tokens: number }[];
  /** Tools of the response's calls, by the names that the model used. */
  readonly called: readonly string[];
  readonly refused: readonly { readonly tool?: string; readonly reason: string }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** With deferred tools: whether the conversation has searched so far, called a tool without searching, or did neither. */
  readonly reach?: 'searched' | 'called' | 'neither';
  /** Absent where no tool was deferred. */
  readonly tokens?: TokenAccount;
}
