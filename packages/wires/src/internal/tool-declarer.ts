import type { DeferPlan, Own, Shown, View } from '@quartermaster/core/disclosure';
import { deferredInFull, memoized } from '@quartermaster/core/internal';

/** How a protocol defines tools. */
interface ToolDefiner<Definition> {
  own(own: Own, plan: DeferPlan): Definition;
  shown(shown: Shown): Definition;
  /** The name in a definition. */
  nameOf(definition: Definition): unknown;
}

/**
 * Declares the tools of a view in a protocol whose requests have one list of them: ours, those that the plan shows, `others`, and last
 * what the conversation has revealed and deferred tools that the request forces, found or not, by the model's names: as much as
 * possible of the prefix stays.
 */
export function toolDeclarer<Definition>(
  define: ToolDefiner<Definition>,
): (
  view: View & { readonly plan: DeferPlan },
  forced: readonly string[],
  others?: readonly Definition[],
) => Definition[] {
  // Once per plan: with thousands of tools, this must not be repeated for every request.
  const fixedOf = memoized((plan: DeferPlan) => [
    ...plan.own.map((own) => define.own(own, plan)),
    ...plan.shown.map(define.shown),
  ]);
  return ({ plan, revealed }, forced, others = []) => {
    const late = plan.form.reveal === 'append' ? revealed : [];
    const known = new Set(late.map(({ name }) => name));
    const added = forced.flatMap((name) => (known.has(name) ? [] : (deferredInFull(plan, name) ?? [])));
    const full = [...late, ...added];
    const last = [...others, ...full.map(define.shown)];
    if (full.length === 0 || plan.form.hidden === 'omit') return [...fixedOf(plan), ...last];
    // In place of their stubs: a model that is told to call one can't search for its parameters first.
    const names = new Set<unknown>(full.map(({ name }) => name));
    return [...fixedOf(plan).filter((definition) => !names.has(define.nameOf(definition))), ...last];
  };
}
