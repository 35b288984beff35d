import type { DeferPlan } from '@quartermaster/core/disclosure';
import { ownNamed } from '@quartermaster/core/internal';
import { isOtherSearchName, isSearchTool } from './other-spellings.ts';

/** Whether a `tool_choice` forces a search, which ours may replace: the API's own, or one of another API or gateway. `name` is the forced tool's. */
export function forcesSearch(choice: unknown, name: string | undefined, plan?: DeferPlan): boolean {
  return isSearchTool(choice) || (isOtherSearchName(name) && plan?.snapshot.resolve(name ?? '') === undefined);
}

/** A choice that forced the search has been fulfilled: the next round is free. */
export function relaxToolChoice(choice: unknown, name: string | undefined, plan: DeferPlan): unknown {
  return forcesSearch(choice, name, plan) || ownNamed(plan, name) !== undefined ? 'auto' : choice;
}
