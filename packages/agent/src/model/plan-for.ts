import type { Toolbox } from '@quartermaster/core';
import { type DeferPlan, withoutSearch } from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { type AgentForm, formFor } from './agent-form.ts';
import type { ResolvedModel } from './resolve-model.ts';

/** What plans are made from, independent of the model. */
export interface Planning {
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  readonly form: AgentForm | 'auto';
  /** Whether more tools may arrive in a moment. */
  readonly isStarting: () => boolean;
}

/** What to send over this model's transport. If nothing is deferred, the plan declares every tool and has no search. */
export function planFor(
  { toolbox, caller, form, isStarting }: Planning,
  { limits, capabilities }: ResolvedModel,
): DeferPlan {
  const plan = toolbox.plan(limits, {
    form: formFor(capabilities, form),
    caller,
    ...(isStarting() ? { rule: { kind: 'on' }, searchWhenEmpty: true } : {}),
  });
  return plan.kind === 'defer' ? plan : withoutSearch(plan);
}

/** Whether the model searches through us. Only such a plan outlives a change of the catalog, because a search finds new tools. */
export function isSearching(plan: DeferPlan): boolean {
  return plan.own.length > 0;
}
