import { type Caller, chooseForm, type DeferPlan, FORMS, type Toolbox, withoutSearch } from '@quartermaster/core';
import type { ResolvedModel } from './resolve-model.ts';

/** What to send, for what the model's transport can carry. Where nothing is deferred, the plan declares every tool and searches nothing. */
export function planFor(toolbox: Toolbox, { limits, capabilities }: ResolvedModel, caller: Caller): DeferPlan {
  const plan = toolbox.plan(limits, {
    form: capabilities.references ? FORMS.native : chooseForm(capabilities, 'load').form,
    // The Messages API has no block for a description: searches carry what one would say.
    describe: false,
    caller,
  });
  return plan.kind === 'defer' ? plan : withoutSearch(plan);
}

/** Whether the model has to search. Only such a plan outlives a change of the catalog, since a search finds what is new. */
export function isSearching(plan: DeferPlan): boolean {
  return plan.own.length > 0;
}
