import type { Toolbox } from '@quartermaster/core';
import { type DeferPlan, withoutSearch } from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { type AgentForm, formFor } from './agent-form.ts';
import type { ResolvedModel } from './resolve-model.ts';

/** What plans are made from, whatever the model. */
export interface Planning {
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  readonly form: AgentForm | 'auto';
  /** Whether there may be more tools in a moment. */
  readonly isStarting: () => boolean;
}

/** What to send, for what the model's transport can carry. Where nothing is deferred, the plan declares every tool and searches nothing. */
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

/** Whether the model has us search. Only such a plan outlives a change of the catalog, since a search finds what is new. */
export function isSearching(plan: DeferPlan): boolean {
  return plan.own.length > 0;
}
