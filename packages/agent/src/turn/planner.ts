import type { Caller, DeferPlan, Toolbox } from '@quartermaster/core';
import { isSearching, planFor, type ResolvedModel } from '../model/index.ts';

/** Which plan a conversation goes by. */
export interface Planner {
  plan(model: ResolvedModel): DeferPlan;
  /** The conversation begins anew: its plan may be made of the catalog as it is now. */
  forget(): void;
}

/**
 * Keeps to one plan while the model searches: servers that come or go are told in answers, since a new listing would rewrite what the
 * provider has cached. Where every tool is declared, they follow the catalog.
 */
export function createPlanner(toolbox: Toolbox, caller: Caller): Planner {
  let kept: { readonly plan: DeferPlan; readonly model: ResolvedModel } | undefined;
  return {
    plan(model) {
      if (kept !== undefined && kept.model === model && isSearching(kept.plan)) return kept.plan;
      kept = { plan: planFor(toolbox, model, caller), model };
      return kept.plan;
    },
    forget() {
      kept = undefined;
    },
  };
}
