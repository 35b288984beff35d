import type { Tool } from '../catalog/index.ts';
import { ANSWER_DEFAULTS, type DeferPlan } from '../disclosure/index.ts';
import { snapshotTokens } from '../gate/index.ts';
import type { ToolboxContext } from './toolbox-context.ts';

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
