import type { RequestRecord } from '@quartermaster/client';
import { gateway } from './gateway.ts';

/** Views of the list, by the names that the gateway gives them. */
export const OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type Outcome = (typeof OUTCOMES)[number];

export function listActivity(
  outcome: Outcome | undefined,
  signal: AbortSignal,
): Promise<{ readonly data: readonly RequestRecord[] }> {
  const query = { limit: 500, ...(outcome === undefined ? {} : { outcome }) };
  return gateway.request('GET /v1/activity', { query, signal });
}

/** Calls back for each request that is answered from now on, until the signal aborts or the gateway goes away. */
export async function followActivity(onRecord: (record: RequestRecord) => void, signal: AbortSignal): Promise<void> {
  for await (const record of gateway.follow(signal)) onRecord(record);
}
