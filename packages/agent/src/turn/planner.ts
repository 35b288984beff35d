import type { DeferPlan } from '@quartermaster/core/disclosure';
import { isSearching, type Planning, planFor, type ResolvedModel } from '../model/index.ts';

/** Which plan a conversation goes by. */
export interface Planner {
  plan(model: ResolvedModel): DeferPlan;
  /** The conversation was restarted: the next plan uses the current catalog. */
  forget(): void;
}

/**
 * Keeps to one plan while the model has us search: servers that come or go are told in answers, since a new listing would rewrite
 * what the provider has cached. Where every tool is declared, in full or marked for the provider's own search, they follow the
 * catalog.
 */
export function createPlanner(planning: Planning): Planner {
  let kept: { readonly plan: DeferPlan; readonly model: ResolvedModel } | undefined;
  return {
    plan(model) {
      if (kept !== undefined && kept.model === model && isSearching(kept.plan)) return kept.plan;
      kept = { plan: planFor(planning, model), model };
      return kept.plan;
    },
    forget() {
      kept = undefined;
    },
  };
}
