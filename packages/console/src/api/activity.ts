import { request, stream } from './request.ts';

export interface SearchRecord {
  readonly outcome: 'match' | 'none' | 'failure' | 'stopped';
  readonly engine?: string;
  readonly reranker?: string;
  readonly confidence?: number;
  readonly queryCount: number;
  readonly queries?: readonly string[];
  readonly found: readonly string[];
  readonly scores: readonly number[];
  readonly answerTokens: number;
  readonly tookMs: number;
}

export interface TokenAccount {
  readonly definitions: number;
  readonly keptOut: number;
  readonly ownTools: number;
  readonly carried: number;
  readonly answers: number;
  readonly repeated: number;
  readonly added: number;
  readonly net: number;
  readonly breakEven: number;
}

export interface RequestRecord {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly owner: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly decision?: 'inline' | 'defer' | 'pass';
  readonly reason?: string;
  readonly form?: string;
  readonly rounds: number;
  readonly searches: readonly SearchRecord[];
  readonly loaded: readonly { readonly tool: string; readonly by: string; readonly tokens: number }[];
  readonly called: readonly string[];
  readonly refused: readonly { readonly tool?: string; readonly reason: string }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly tokens?: TokenAccount;
}

/** Views of the list, by the names that the gateway gives them. */
export const OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type Outcome = (typeof OUTCOMES)[number];

export function listActivity(
  outcome: Outcome | undefined,
  signal: AbortSignal,
): Promise<{ readonly data: readonly RequestRecord[] }> {
  return request(`/v1/activity?limit=500${outcome === undefined ? '' : `&outcome=${outcome}`}`, { signal });
}

/** Calls back for each request that is answered from now on, until the signal aborts or the gateway goes away. */
export async function followActivity(onRecord: (record: RequestRecord) => void, signal: AbortSignal): Promise<void> {
  for await (const { event, data } of stream('/v1/activity/live', signal)) {
    if (event === 'request') onRecord(JSON.parse(data) as RequestRecord);
  }
}

export interface Totals {
  readonly requests: number;
  readonly searches: number;
  readonly foundNothing: number;
  readonly keptOut: number;
  readonly added: number;
  readonly net: number;
}

export interface Savings {
  readonly sinceMs: number;
  readonly total: Totals;
  readonly byDay: Readonly<Record<string, Totals>>;
  readonly byModel: Readonly<Record<string, Totals>>;
  readonly byKey: Readonly<Record<string, Totals>>;
}

export function readSavings(signal: AbortSignal): Promise<Savings> {
  return request('/v1/savings', { signal });
}
