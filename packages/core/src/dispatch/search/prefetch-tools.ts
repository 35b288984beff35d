import type { Tool } from '../../catalog/index.ts';
import { defined } from '../../defined.ts';
import { ANSWER_DEFAULTS, type DeferPlan, keepsPrefix } from '../../disclosure/index.ts';
import { snapshotTokens } from '../../gate/index.ts';
import { eventOrigin } from '../events.ts';
import type { Prefetched, Prefetching } from '../toolbox.ts';
import { searchScope, type ToolboxContext } from '../toolbox-context.ts';

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

/**
 * What a search may load at once, best first: the best tool whatever it costs, others while they fit the budget. A form that
 * reveals in answers loads nothing; how long those may be is decided where they are told.
 */
export function withinLoadBudget<Found extends { readonly tool: Tool }>(
  context: ToolboxContext,
  found: readonly Found[],
  options: {
    readonly plan: DeferPlan;
    /** Whether a tool is in the list already, where it costs nothing more. */
    readonly isLoaded?: (tool: Tool) => boolean;
  },
): readonly Found[] {
  const { plan, isLoaded } = options;
  if (plan.form.reveal === 'answer') return found;
  const costs = snapshotTokens(context.snapshot(), context.countTokens).byTool;
  let rest = context.options.budget?.loadTokens ?? ANSWER_DEFAULTS.loadTokens;
  return found.filter(({ tool }, index) => {
    const cost = plan.form.reveal === 'append' && isLoaded?.(tool) === true ? 0 : (costs.get(tool) ?? 0);
    if (index > 0 && cost > rest) return false;
    rest -= cost;
    return true;
  });
}
