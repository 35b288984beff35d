import { type Caller, chooseForm, type DeferPlan, FORMS, type Plan, type Toolbox } from '@quartermaster/core';
import type { ResolvedModel } from './resolve-model.ts';

/** What to send, for what the model's transport can carry. Where nothing is deferred, the plan declares every tool and searches nothing. */
export function planFor(toolbox: Toolbox, { limits, capabilities }: ResolvedModel, caller: Caller): DeferPlan {
  const plan = toolbox.plan(limits, {
    form: capabilities.references ? FORMS.native : chooseForm(capabilities, 'load').form,
    // The Messages API has no block for a description: searches carry what one would say.
    describe: false,
    caller,
  });
  return plan.kind === 'defer' ? plan : declareAll(plan);
}

const plain = new WeakMap<Plan, DeferPlan>();

/** A conversation may hold searches from when tools were deferred: rendering by this plan leaves them out. */
function declareAll(plan: Exclude<Plan, DeferPlan>): DeferPlan {
  const known = plain.get(plan);
  if (known !== undefined) return known;
  const { snapshot, shown, definitions, reason, tokens } = plan;
  const made: DeferPlan = {
    kind: 'defer',
    form: FORMS.client,
    engine: 'text',
    deferred: new Set(),
    own: [],
    ...{ snapshot, shown, definitions, reason, tokens },
  };
  plain.set(plan, made);
  return made;
}

/** Whether the model has to search. Only such a plan outlives a change of the catalog, since a search finds what is new. */
export function isSearching(plan: DeferPlan): boolean {
  return plan.own.length > 0;
}
