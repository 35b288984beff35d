import { defined } from '../../catalog/internal.ts';
import { keepsPrefix } from '../../disclosure/index.ts';
import { snapshotTokens } from '../../gate/index.ts';
import type { Prefetched, Prefetching } from '../toolbox.ts';
import { eventOrigin, searchScope, type ToolboxContext } from '../toolbox-context.ts';
import { withinLoadBudget } from './handle-search.ts';

const PREFETCH_DEFAULTS = { limit: 3 };
const MOST_LIMIT = 10;
const MOST_CHARACTERS = 2_000;

/**
 * The tools that fit what the user said, when we search and something fits. A prefetch is an offer: whatever goes wrong with it,
 * the request continues without.
 */
export async function prefetchTools(
  context: ToolboxContext,
  prefetching: Prefetching,
): Promise<Prefetched | undefined> {
  const { plan, text, caller = {}, signal } = prefetching;
  if (plan.kind === 'inline' || plan.form.search !== 'local' || text.trim() === '') return undefined;
  // A sentence is no pattern, and a model that writes patterns is not to need an index of words.
  if (plan.engine === 'regex') return undefined;
  const snapshot = context.snapshot();
  const searcher = context.searchers[plan.engine].of(snapshot);
  const limit = Math.max(1, Math.min(context.options.prefetchLimit ?? PREFETCH_DEFAULTS.limit, MOST_LIMIT));
  try {
    const result = await searcher.search({
      query: text.slice(0, MOST_CHARACTERS),
      limit,
      allow: searchScope(context, { plan, snapshot, caller }),
      ...defined({ signal }),
    });
    if (result.verdict === 'none' || result.hits.length === 0) return undefined;
    const hits = withinLoadBudget(context, result.hits, { plan });
    const costs = snapshotTokens(snapshot, context.countTokens).byTool;
    for (const { tool } of hits) {
      context.emit({
        ...eventOrigin(context, { caller }),
        kind: 'tool-load',
        tool: tool.id,
        name: snapshot.modelName(tool),
        by: 'prefetch',
        tokens: costs.get(tool) ?? 0,
        keepsPrefix: keepsPrefix(plan.form),
      });
    }
    return { names: hits.map((hit) => snapshot.modelName(hit.tool)) };
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
