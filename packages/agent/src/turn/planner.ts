import type { DeferPlan } from '@quartermaster/core/disclosure';
import { isSearching, type Planning, planFor, type ResolvedModel } from '../model/index.ts';

/** Chooses the plan of a conversation. */
export interface Planner {
  plan(model: ResolvedModel): DeferPlan;
  /** The conversation was restarted: the next plan uses the current catalog. */
  forget(): void;
}

/**
 * Keeps one plan as long as the model searches through us: servers that come or go are reported in answers, because a new listing
 * would change what the provider has cached. If every tool is declared, in full or marked for the provider's own search, plans follow
 * the catalog.
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
