import type { Snapshot, Tool } from '../../catalog/index.ts';
import {
  ORDERED_BY_USE,
  orderByUse,
  type Searcher,
  type SearchRequest,
  type SearchResult,
  type UseBonus,
} from '../../search/index.ts';
import type { Awaitable } from '../call/index.ts';
import type { Caller } from '../call.ts';

/** Remembers which tools were called after which searches, each caller's apart. Neither method may throw. */
export interface UseMemory {
  /** What each tool that the caller has used gains for a query, by the tool's id. Undefined where nothing was learned. */
  recall(query: string, caller: Caller): Awaitable<ReadonlyMap<string, UseBonus> | undefined>;
  /** A search returned these tools to its caller; a call of one of them may follow. */
  note(found: FoundForQuery, caller: Caller): void;
}

/** What one query of a search has found. */
export interface FoundForQuery {
  readonly query: string;
  /** Best first, with the names that the model sees. */
  readonly tools: readonly { readonly tool: Tool; readonly name: string }[];
}

/** A search whose answer has the caller's own tools in the order of their use. Only the hybrid's scores are points that use can be added to. */
export async function searchByUse(
  searcher: Searcher,
  request: SearchRequest & { readonly query: string; readonly limit: number },
  {
    uses,
    caller,
    snapshot,
  }: { readonly uses: UseMemory | undefined; readonly caller: Caller; readonly snapshot: Snapshot },
): Promise<SearchResult> {
  if (uses === undefined || searcher.engine !== 'hybrid') return searcher.search(request);
  const bonuses = await uses.recall(request.query, caller);
  if (bonuses === undefined || bonuses.size === 0) return searcher.search(request);
  const result = await searcher.search({ ...request, limit: Math.max(request.limit, ORDERED_BY_USE) });
  const { query, limit, allow } = request;
  const find = (id: string): Tool | undefined => {
    const tool = snapshot.get(id);
    return tool === undefined || allow?.(tool) === false ? undefined : tool;
  };
  return { ...result, hits: orderByUse(result.hits, bonuses, { limit, query, find }) };
}
