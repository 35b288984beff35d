import type { DeferPlan, Own, Shown, View } from '@quartermaster/core/disclosure';
import { deferredInFull, memoized } from '@quartermaster/core/internal';
import { modelName } from './shown-tools.ts';

/**
 * Declares the tools of a view in a protocol whose requests have one list of them: ours, those that the plan shows, those that the
 * conversation has revealed, and deferred ones that the request forces, found or not, by the client's names.
 */
export function toolDeclarer<Definition extends { readonly name?: unknown }>(define: {
  own(own: Own): Definition;
  shown(shown: Shown): Definition;
}): (view: View & { readonly plan: DeferPlan }, forcedNames: readonly string[]) => Definition[] {
  // Once per plan: with thousands of tools, this must not be repeated for every request.
  const fixedOf = memoized(({ own, shown }: DeferPlan) => [...own.map(define.own), ...shown.map(define.shown)]);
  return ({ plan, revealed }, forcedNames) => {
    const late = plan.form.reveal === 'append' ? revealed : [];
    const known = new Set(late.map(({ name }) => name));
    const names = forcedNames.map((name) => modelName(plan.snapshot, name)).filter((name) => !known.has(name));
    const forced = names.flatMap((name) => deferredInFull(plan, name) ?? []);
    const added = [...late, ...forced].map(define.shown);
    if (forced.length === 0) return [...fixedOf(plan), ...added];
    // A forced stub is shown in full: the model can't search for its parameters first.
    const isForced = new Set<unknown>(names);
    return [...fixedOf(plan).filter(({ name }) => !isForced.has(name)), ...added];
  };
}
