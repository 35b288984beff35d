import type { RequestRecord } from '@quartermaster/client';
import { gateway } from './gateway.ts';

/** Views of the list, by the names that the gateway gives them. */
export const OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** How many requests the screen holds, and counts. */
export const MOST_RECORDS = 500;

export function listActivity(
  { outcome, beforeMs }: { readonly outcome: Outcome | undefined; readonly beforeMs: number | undefined },
  signal: AbortSignal,
): Promise<{ readonly data: readonly RequestRecord[]; readonly keep: 'off' | 'counts' | 'queries' }> {
  const query = {
    limit: MOST_RECORDS,
    ...(outcome === undefined ? {} : { outcome }),
    ...(beforeMs === undefined ? {} : { before: beforeMs }),
  };
  return gateway.request('GET /v1/activity', { query, signal });
}

/** How many of the latest requests are in each view. */
export async function countActivity(
  signal: AbortSignal,
): Promise<Readonly<Record<Outcome | 'requests', number>> | undefined> {
  return (await gateway.request('GET /v1/activity', { query: { limit: 1, counts: 'true' }, signal })).counts;
}
