import { FORMS } from './form.ts';
import type { DeferPlan, InlinePlan } from './plan.ts';

const made = new WeakMap<InlinePlan, DeferPlan>();

/**
 * An inline plan as one to render by: every tool in full, no marks and no search. A conversation may hold searches and references
 * from when tools were deferred; rendering by this plan leaves searches out and turns references into text.
 */
export function withoutSearch(inline: InlinePlan): DeferPlan {
  const known = made.get(inline);
  if (known !== undefined) return known;
  const { snapshot, shown, definitions, reason, tokens } = inline;
  const plan: DeferPlan = {
    kind: 'defer',
    form: FORMS.client,
    engine: 'text',
    deferred: new Set(),
    own: [],
    ...{ snapshot, shown, definitions, reason, tokens },
  };
  made.set(inline, plan);
  return plan;
}
