import { FORMS } from './form.ts';
import type { DeferPlan, InlinePlan } from './plan.ts';

const made = { off: new WeakMap<InlinePlan, DeferPlan>(), clients: new WeakMap<InlinePlan, DeferPlan>() };

/**
 * An inline plan as one to render by: every tool in full, no marks and no search. A conversation may hold searches and references
 * from when tools were deferred; rendering by this plan leaves searches out and turns references into text.
 * Where the client searches by itself (`clients`), calls to its search are its own; otherwise (`off`) they are answered.
 */
export function withoutSearch(inline: InlinePlan, search: 'off' | 'clients' = 'off'): DeferPlan {
  const known = made[search].get(inline);
  if (known !== undefined) return known;
  const { snapshot, shown, definitions, reason, tokens } = inline;
  const plan: DeferPlan = {
    kind: 'defer',
    form: FORMS.client,
    engine: 'text',
    deferred: new Set(),
    own: [],
    ...(search === 'off' ? { isSearchOff: true } : {}),
    ...{ snapshot, shown, definitions, reason, tokens },
  };
  made[search].set(inline, plan);
  return plan;
}
