import type { RequestRecord } from '../events/index.ts';
import { ALL_SERVERS } from '../mcp/index.ts';

/** A query that found nothing, however often it was searched. */
export interface UnansweredSearch {
  readonly query: string;
  /** The named catalogs that were searched; empty if the tools came with the request. */
  readonly catalogs: readonly string[];
  readonly times: number;
  readonly lastMs: number;
  /** The latest request with it, for `/v1/activity/{id}`. */
  readonly requestId: string;
}

/** The latest first, each query of each catalog once. */
export function listUnanswered(records: readonly RequestRecord[]): {
  readonly searches: readonly UnansweredSearch[];
  /** Searches that found nothing and whose texts were not recorded. */
  readonly withoutText: number;
} {
  const found = new Map<string, UnansweredSearch>();
  let withoutText = 0;
  for (const { id, atMs, route, searches, ...record } of records) {
    const catalogs = record.catalogs ?? (route === 'mcp' ? [ALL_SERVERS] : []);
    for (const { outcome, queries = [] } of searches) {
      if (outcome !== 'none') continue;
      if (queries.length === 0) withoutText += 1;
      for (const query of queries) {
        const key = JSON.stringify([catalogs, query]);
        const known = found.get(key);
        const times = (known?.times ?? 0) + 1;
        found.set(key, { ...(known ?? { query, catalogs, lastMs: atMs, requestId: id }), times });
      }
    }
  }
  return { searches: [...found.values()], withoutText };
}
