import type { ToolboxEvent } from '@quartermaster/core';
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
  readonly model?: string;
  readonly upstream?: string;
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
  /** Absent where no tool was deferred. */
  readonly tokens?: TokenAccount;
}
